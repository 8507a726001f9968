import numpy as np
x = np.linspace(-20, 20, 100001)
for f in (np.exp, np.sin, np.cos, np.tanh, np.arctan, np.cbrt, np.log1p, np.expm1):
    with np.errstate(all="ignore"):
        y = f(x)
    print(f.__name__, repr(np.nansum(y)), repr(float(y[777])), y.tobytes()[:64].hex())
print(repr((x**2).sum()), repr(np.float32(x).sum()), repr(np.power(abs(x), 1.7).sum()))
