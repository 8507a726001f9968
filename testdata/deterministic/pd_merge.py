import pandas as pd
left = pd.DataFrame({"k": list({"a", "b", "c", "d", "e"}), "x": range(5)})
right = pd.DataFrame({"k": list({"b", "d", "f", "a"}), "y": [1.5, 2.5, 3.5, 4.5]})
print(left.merge(right, on="k", how="outer"), left["k"].astype("category").cat.codes.tolist())
print(pd.util.hash_pandas_object(left).tolist())
