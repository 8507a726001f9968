import numpy as np
import pandas as pd
s = pd.Series(np.random.randn(1000).cumsum(), index=pd.date_range("2020-01-01", periods=1000))
print(s.rolling(30).mean().tail(), s.ewm(span=10).std().tail(), s.resample("M").ohlc().head())
s.rolling(7).corr(s.shift(1)).to_json("correlation.json")
