MAX_TEXT = 1024 * 1024    # of a value, and of an HTML or SVG form


class NotJSON(Exception):
    pass


ESCAPES = {i: "\\u%04x" % i for i in range(32)}
ESCAPES.update({34: '\\"', 92: "\\\\", 10: "\\n", 13: "\\r", 9: "\\t"})


def quote(text):
    text = str.translate(text, ESCAPES)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = "".join("\\u%04x" % ord(c) if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)
    return '"' + text + '"'


class Encoder:
    """Writes a value as JSON, strictly: what JSON cannot hold is an error."""

    def __init__(self):
        self.parts = []
        self.size = 0

    def put(self, text):
        self.size += len(text)
        if self.size > MAX_TEXT:
            raise NotJSON("the value is larger than %d characters" % MAX_TEXT)
        self.parts.append(text)

    def whole(self, value):
        try:
            return int.__repr__(value)
        except ValueError:  # more digits than are converted by default
            sys.set_int_max_str_digits(0)
            return int.__repr__(value)

    def value(self, value, place="$", depth=0):
        if depth > 200:
            raise NotJSON("the value is nested deeper than 200")
        if value is None:
            self.put("null")
        elif value is True or value is False:
            self.put("true" if value else "false")
        elif isinstance(value, str):
            self.put(quote(value))
        elif isinstance(value, int):
            self.put(self.whole(value))
        elif isinstance(value, float):
            if value != value or value in (float("inf"), float("-inf")):
                raise NotJSON("%s is %s, which JSON cannot hold" % (place, float.__repr__(value)))
            self.put(float.__repr__(value))
        elif isinstance(value, dict):
            self.members(value, place, depth)
        elif isinstance(value, (list, tuple)):
            self.items(value, place, depth)
        elif isinstance(value, (set, frozenset)):
            try:
                value = sorted(value)
            except TypeError:
                value = list(value)
            self.items(value, place, depth)
        else:
            self.value(self.plain(value, place), place, depth + 1)

    def items(self, value, place, depth):
        self.put("[")
        for i, item in enumerate(value):
            if i:
                self.put(",")
            self.value(item, "%s[%d]" % (place, i), depth + 1)
        self.put("]")

    def members(self, value, place, depth):
        self.put("{")
        first = True
        for key, item in value.items():
            if not first:
                self.put(",")
            first = False
            text = self.key(key, place)
            self.put(quote(text))
            self.put(":")
            self.value(item, "%s.%s" % (place, text[:40]), depth + 1)
        self.put("}")

    def key(self, key, place):
        if isinstance(key, str):
            return key
        if key is None or key is True or key is False:
            return {None: "null", True: "true", False: "false"}[key]
        if isinstance(key, float):
            return float.__repr__(key)
        if hasattr(type(key), "__index__"):
            return self.whole(key.__index__())
        raise NotJSON("a key of %s is a %s, which JSON cannot hold" % (place, kind_of(key)))

    def plain(self, value, place):
        """What stands for a number or a table of a library."""
        kind = type(value)
        if hasattr(kind, "tolist"):  # numpy's scalars and arrays, pandas' columns
            return value.tolist()
        if hasattr(kind, "__index__"):
            return value.__index__()
        if hasattr(kind, "to_dict") and hasattr(kind, "columns"):  # pandas' tables
            return value.to_dict(orient="records")
        if getattr(value, "denominator", None) == 1:  # a fraction that is whole
            return int(value)
        if hasattr(kind, "__float__"):  # decimals, fractions, symbolic numbers
            return float(value)
        raise NotJSON("%s is a %s, which JSON cannot hold" % (place, kind_of(value)))


def kind_of(value):
    return type(value).__qualname__[:80]
