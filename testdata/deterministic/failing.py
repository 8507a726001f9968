import random
import numpy as np
print(random.random())
raise ValueError(f"no luck with {random.randint(0, 1000)} and {np.random.rand()}")
