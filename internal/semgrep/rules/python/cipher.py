from Crypto.Cipher import AES, DES
from Cryptodome.Cipher import ARC4 as rc4
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


def seal(key, data, nonce):
    # ruleid: python-weak-cipher
    a = DES.new(key, DES.MODE_CBC).encrypt(data)
    # ruleid: python-weak-cipher
    b = rc4.new(key).encrypt(data)
    # ruleid: python-weak-cipher
    c = AES.new(key, AES.MODE_ECB)
    # ok: python-weak-cipher
    d = AES.new(key, AES.MODE_GCM, nonce=nonce)
    # ruleid: python-weak-cipher
    e = Cipher(algorithms.AES(key), modes.ECB())
    # ruleid: python-weak-cipher
    f = Cipher(algorithms.TripleDES(key), modes.CBC(nonce))
    # ok: python-weak-cipher
    g = Cipher(algorithms.AES(key), modes.GCM(nonce))
    return a, b, c, d, e, f, g
