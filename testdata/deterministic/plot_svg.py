import matplotlib.pyplot as plt
import numpy as np
fig, (left, right) = plt.subplots(1, 2)
left.hist(np.random.randn(500), bins=20)
right.scatter(np.random.rand(50), np.random.rand(50), c=np.random.rand(50))
fig.savefig("pair.svg")
fig.savefig("pair.pdf")
