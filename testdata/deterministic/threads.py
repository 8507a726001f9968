import threading
import time
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool:
    print(list(pool.map(lambda n: n * n, range(10))))
event = threading.Event()
print(event.wait(0.05))
worker = threading.Thread(target=lambda: time.sleep(0.1))
worker.start()
worker.join(timeout=5)
print(worker.is_alive())
