import numpy as np
from scipy import stats
x = np.random.standard_normal(500)
print(stats.shapiro(x), stats.kstest(x, "norm"), stats.linregress(np.arange(500), x))
print(stats.gaussian_kde(x)(np.array([0.0, 1.0])), stats.mannwhitneyu(x[:250], x[250:]))
