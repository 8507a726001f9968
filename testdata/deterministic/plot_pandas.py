import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
df = pd.DataFrame(np.random.rand(10, 3), columns=list("abc"))
df.plot.bar()
plt.tight_layout()
plt.savefig("bars.png")
