import numpy as np
a = np.random.rand(300, 300)
print(a @ a, np.linalg.det(a), np.linalg.eigvals(a)[:5])
