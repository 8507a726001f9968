import pandas as pd

frame = pd.DataFrame({"city": ["Oslo", "Lima", "Pune"], "rain": [763, 16, 722]})
print(frame.sort_values("rain").to_string(index=False))
frame["rain"].max()
