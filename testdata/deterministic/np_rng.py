import numpy as np
rng = np.random.default_rng()
print(rng.random(5), rng.integers(0, 1000, 8), rng.normal(size=3), rng.permutation(10))
print(np.random.rand(3), np.random.randint(0, 100, 5), np.random.choice(["a", "b", "c"], 6))
np.save("numbers.npy", rng.standard_normal(1000))
np.savez_compressed("numbers.npz", a=rng.random(100), b=rng.random(100))
