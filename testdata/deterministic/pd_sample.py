import pandas as pd
df = pd.DataFrame({"a": range(100), "b": [i * i % 17 for i in range(100)]})
print(df.sample(10), df.sample(frac=0.1, weights="b"))
df.sample(frac=1).to_csv("shuffled.csv", index=False)
df
