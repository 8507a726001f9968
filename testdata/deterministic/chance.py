import random
import secrets
import uuid
print(random.random(), random.sample(range(100), 5), random.gauss(0, 1))
print(uuid.uuid4(), secrets.token_hex(8), secrets.randbelow(1000), random.SystemRandom().random())
print({"one", "two", "three", "four"}, hash("text"), frozenset("determinism"))
items = list(range(20))
random.shuffle(items)
print(items)
