import matplotlib.pyplot as plt
import numpy as np
plt.imshow(np.random.rand(64, 64), cmap="viridis")
plt.colorbar()
plt.savefig("image.jpg")
