import re
import statistics
from collections import Counter
from decimal import Decimal, getcontext
from fractions import Fraction
getcontext().prec = 60
print(Decimal(2).sqrt(), Fraction(1, 3) + Fraction(1, 7), statistics.stdev([1.5, 2.5, 4.0]))
print(Counter(re.findall(r"\w+", "the cat the dog a cat a bird " * 20)).most_common(), set("abracadabra"))
