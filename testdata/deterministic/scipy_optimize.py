import numpy as np
from scipy import integrate, interpolate, optimize, stats
r = optimize.minimize(lambda p: (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2, [0.0, 0.0])
print(r.x.tolist(), r.fun, r.nit)
print(optimize.curve_fit(lambda x, a, b: a * np.exp(b * x), np.arange(9.0), np.exp(np.arange(9.0) / 3) + np.random.rand(9))[0].tolist())
print(integrate.quad(lambda x: np.exp(-x * x), 0, 5), stats.norm.rvs(size=4), stats.ttest_ind(np.random.rand(30), np.random.rand(30)))
print(interpolate.CubicSpline([0, 1, 2, 3], [0, 1, 4, 9])(1.5).item())
