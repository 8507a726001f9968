import numpy as np
import pandas as pd
df = pd.DataFrame({"k": np.random.choice(list("abcdef"), 2000), "x": np.random.randn(2000), "n": np.random.randint(0, 9, 2000)})
print(df.groupby("k").agg({"x": ["mean", "std", "sum"], "n": "max"}))
print(df.pivot_table(index="k", columns="n", values="x", aggfunc="sum"))
df.describe().to_csv("described.csv")
