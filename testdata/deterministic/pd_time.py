import datetime
import time
import pandas as pd
now = pd.Timestamp.now()
print(now, pd.Timestamp.utcnow(), datetime.date.today(), time.time(), time.strftime("%c %Z"))
s = pd.Series(range(5), index=pd.date_range(now.floor("D"), periods=5))
print(s, s.resample("2D").sum(), time.perf_counter(), time.process_time())
