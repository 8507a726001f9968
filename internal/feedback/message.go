package feedback

import (
	"strings"
)

// sentences are the interpreter's own about a program: CPython's, 3.8 to 3.14,
// of the exceptions that programs meet most. What they say is nothing but names
// and numbers, in place of:
//
//	%i  a name that stands in the program
//	%m  a dotted name of which each part stands in the program
//	%t  a type: a name in the program, or one of the interpreter's
//	%n  a whole number
//	%o  an operator
//	%q  a value as repr writes it that stands in the program, or a number
func sentences() []string {
	return []string{
		"name '%i' is not defined",
		"name '%i' is not defined. Did you mean: '%i'?",
		"name '%i' is not defined. Did you forget to import '%i'?",
		"free variable '%i' referenced before assignment in enclosing scope",
		"cannot access free variable '%i' where it is not associated with a value in enclosing scope",
		"local variable '%i' referenced before assignment",
		"cannot access local variable '%i' where it is not associated with a value",
		"'%t' object has no attribute '%i'",
		"'%t' object has no attribute '%i'. Did you mean: '%i'?",
		"'%t' object does not support item assignment",
		"'%t' object does not support item deletion",
		"'%t' object does not support the context manager protocol",
		"'%t' object is not callable",
		"'%t' object is not iterable",
		"'%t' object is not an iterator",
		"'%t' object is not subscriptable",
		"'%t' object is not a mapping",
		"'%t' object cannot be interpreted as an integer",
		"cannot unpack non-iterable %t object",
		"type object '%t' has no attribute '%i'",
		"module '%m' has no attribute '%i'",
		"No module named '%m'",
		"cannot import name '%i' from '%m' (unknown location)",
		"object of type '%t' has no len()",
		"unhashable type: '%t'",
		"unsupported operand type(s) for %o: '%t' and '%t'",
		"bad operand type for unary %o: '%t'",
		"'%o' not supported between instances of '%t' and '%t'",
		"can only concatenate str (not \"%t\") to str",
		"can only concatenate list (not \"%t\") to list",
		"can only concatenate tuple (not \"%t\") to tuple",
		"can't multiply sequence by non-int of type '%t'",
		"must be str, not %t",
		"must be real number, not %t",
		"sequence item %n: expected str instance, %t found",
		"list indices must be integers or slices, not %t",
		"tuple indices must be integers or slices, not %t",
		"string indices must be integers",
		"string indices must be integers, not '%t'",
		"%i() missing %n required positional argument: '%i'",
		"%i() missing %n required positional arguments: '%i' and '%i'",
		"%i() missing %n required positional arguments: '%i', '%i', and '%i'",
		"%i() missing %n required keyword-only argument: '%i'",
		"%i() takes %n positional argument but %n were given",
		"%i() takes %n positional arguments but %n was given",
		"%i() takes %n positional arguments but %n were given",
		"%i() takes no arguments",
		"%i() got an unexpected keyword argument '%i'",
		"%i() got multiple values for argument '%i'",
		"%i expected %n argument, got %n",
		"%i expected %n arguments, got %n",
		"%i expected at least %n argument, got %n",
		"%i expected at most %n arguments, got %n",
		"%t() argument must be a string, a bytes-like object or a real number, not '%t'",
		"%t() argument must be a string or a real number, not '%t'",
		"division by zero",
		"float division by zero",
		"integer division or modulo by zero",
		"integer modulo by zero",
		"float modulo",
		"float modulo by zero",
		"float floor division by zero",
		"0.0 cannot be raised to a negative power",
		"zero to a negative power",
		"math domain error",
		"expected a nonnegative input, got %q",
		"expected a positive input",
		"expected a positive input, got %q",
		"math range error",
		"int too large to convert to float",
		"integer division result too large for a float",
		"cannot convert float infinity to integer",
		"cannot convert float NaN to integer",
		"Exceeds the limit (%n digits) for integer string conversion",
		"Exceeds the limit (%n digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit",
		"(%n, 'Numerical result out of range')",
		"list index out of range",
		"list assignment index out of range",
		"string index out of range",
		"tuple index out of range",
		"range object index out of range",
		"pop from empty list",
		"pop from an empty deque",
		"pop from an empty set",
		"popitem(): dictionary is empty",
		"pop index out of range",
		"list.remove(x): x not in list",
		"%q is not in list",
		"tuple.index(x): x not in tuple",
		"substring not found",
		"empty separator",
		"%q",
		"min() arg is an empty sequence",
		"max() arg is an empty sequence",
		"min() iterable argument is empty",
		"max() iterable argument is empty",
		"reduce() of empty iterable with no initial value",
		"not enough values to unpack (expected %n, got %n)",
		"not enough values to unpack (expected at least %n, got %n)",
		"too many values to unpack (expected %n)",
		"too many values to unpack (expected %n, got %n)",
		"invalid literal for int() with base %n: %q",
		"could not convert string to float: %q",
		"dictionary changed size during iteration",
		"dictionary keys changed during iteration",
		"Set changed size during iteration",
		"deque mutated during iteration",
		"generator raised StopIteration",
		"generator already executing",
		"maximum recursion depth exceeded",
		"maximum recursion depth exceeded in comparison",
		"maximum recursion depth exceeded while calling a Python object",
		"EOF when reading a line",
		"not all arguments converted during string formatting",
		"not enough arguments for format string",
		"%o format: a real number is required, not %t",
		"sample larger than population or is negative",
		"mean requires at least one data point",
		"no median for empty data",
		"exponent too large",
		"negative shift count",
		"No active exception to reraise",
		"exceptions must derive from BaseException",
	}
}

// wrote reports whether a message stands in the program as it is.
func (o *own) wrote(message string) bool { return message != "" && o.holds(message) }

// sentence reports whether a message is one of the interpreter's sentences and
// says nothing but what stands in the program.
func (o *own) sentence(message string) bool {
	if len(message) > maxError || strings.ContainsAny(message, "\n\t") {
		return false
	}
	for _, sentence := range sentences() {
		if o.matches(message, sentence) {
			return true
		}
	}
	return false
}

// matches reports whether message is an instance of a sentence. What stands in
// a place is as long as the place permits, up to where the sentence goes on.
func (o *own) matches(message, sentence string) bool {
	for {
		fixed, rest, more := strings.Cut(sentence, "%")
		if !strings.HasPrefix(message, fixed) {
			return false
		}
		message = message[len(fixed):]
		if !more {
			return message == ""
		}
		kind := rest[0]
		sentence = rest[1:]
		until, _, _ := strings.Cut(sentence, "%")
		n := len(message)
		if until != "" {
			// A value may hold the text that follows it: take the last.
			if n = strings.LastIndex(message, until); kind != 'q' {
				n = strings.Index(message, until)
			}
		}
		if n < 0 || !o.fits(kind, message[:n]) {
			return false
		}
		message = message[n:]
	}
}

func (o *own) fits(kind byte, s string) bool {
	switch kind {
	case 'i':
		return identifier(s) && o.names(s)
	case 'm':
		for _, part := range strings.Split(s, ".") {
			if !identifier(part) || !o.names(part) {
				return false
			}
		}
		return true
	case 't':
		return identifier(s) && (o.names(s) || knownType(s))
	case 'n':
		return number(s) && !strings.ContainsAny(s, ".e")
	case 'o':
		return operator(s)
	case 'q':
		return number(s) || len(s) > 2 && (s[0] == '\'' || s[0] == '"') && s[0] == s[len(s)-1] && o.holds(s[1:len(s)-1])
	}
	return false
}

// number reports whether s is a number of a length that numbers have which
// people mean.
func number(s string) bool {
	s = strings.TrimPrefix(s, "-")
	if s == "" || len(s) > 24 || s[0] < '0' || s[0] > '9' {
		return false
	}
	return strings.Trim(s, "0123456789.e+-") == ""
}

func operator(s string) bool {
	switch s {
	case "+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>", "~", "<", ">", "<=", ">=", "==", "!=",
		"+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&=", "|=", "^=", "<<=", ">>=",
		"** or pow()", "**=()", "divmod()", "%d", "%i", "%x", "%o", "%u", "%c":
		return true
	}
	return false
}

func knownType(s string) bool {
	switch s {
	case "int", "float", "complex", "bool", "str", "bytes", "bytearray", "list", "tuple", "dict", "set", "frozenset",
		"NoneType", "ellipsis", "NotImplementedType", "type", "object", "range", "slice", "function", "method", "module",
		"builtin_function_or_method", "method_descriptor", "generator", "coroutine", "map", "filter", "zip", "enumerate",
		"reversed", "list_iterator", "dict_keys", "dict_values", "dict_items", "property", "staticmethod", "classmethod",
		"ndarray", "DataFrame", "Series", "Index", "Timestamp", "Decimal", "Fraction", "datetime", "date", "timedelta",
		"Counter", "deque", "defaultdict", "OrderedDict":
		return true
	}
	return false
}
