import numpy as np
import pandas as pd
df = pd.DataFrame(np.random.rand(4, 3), columns=list("xyz"))
print(df.to_html())
df
