import matplotlib.pyplot as plt
import numpy as np
plt.plot(np.random.randn(200).cumsum())
plt.title("walk")
plt.savefig("walk.png", dpi=80)
plt.show()
