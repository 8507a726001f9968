import hashlib
import random
import secrets
import string


def store(user, password):
    # ruleid: python-weak-password-hash
    user.hash = hashlib.md5(password.encode()).hexdigest()
    # ruleid: python-weak-password-hash
    user.hash = hashlib.sha256((user.salt + password).encode()).hexdigest()
    # ruleid: python-weak-password-hash
    user.hash = hashlib.new("sha1", password.encode())
    # ruleid: python-weak-password-hash
    h = hashlib.sha1()
    h.update(password.encode())
    # ok: python-weak-password-hash
    user.hash = hashlib.scrypt(password.encode(), salt=user.salt, n=2**14, r=8, p=1)
    # ok: python-weak-password-hash
    return hashlib.sha256(user.photo).hexdigest()


def make():
    letters = string.ascii_letters
    # ruleid: python-random-secret
    token = "".join(random.choice(letters) for _ in range(20))
    # ok: python-random-secret
    token = secrets.token_hex(20)
    # ok: python-random-secret
    color = random.choice(["red", "blue"])
    return token, color
