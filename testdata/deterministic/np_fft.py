import numpy as np
x = np.random.rand(4096)
y = np.fft.fft(x)
print(repr(y[:4]), repr(np.abs(np.fft.ifft(y) - x).max()))
print(repr(np.convolve(x, x)[:5]), repr(np.corrcoef(x[:100], x[100:200])))
