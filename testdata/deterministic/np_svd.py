import numpy as np
a = np.random.default_rng(3).standard_normal((120, 80))
u, s, v = np.linalg.svd(a, full_matrices=False)
print(repr(s[:5]), repr(u[0, :3]), repr(v[0, :3]))
print(repr(np.linalg.lstsq(a, a[:, 0], rcond=None)[0][:4]))
print(repr(np.linalg.solve(a[:80], np.ones(80))[:4]))
