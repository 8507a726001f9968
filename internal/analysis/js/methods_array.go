package js

import "strings"

// arrayMethods are those of Array.prototype that are followed. Source:
// ECMAScript 2023, 23.1.3.
const arrayMethods = " at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap " +
	"forEach includes indexOf join keys lastIndexOf map pop push reduce reduceRight reverse shift slice some sort splice " +
	"toLocaleString toReversed toSorted toSpliced toString unshift values with "

func arrayMethod(name string) bool { return strings.Contains(arrayMethods, " "+name+" ") }

// objectMethods are those that every object has. Source: ECMAScript 2023, 20.1.3.
const objectMethods = " hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf "

func objectMethod(name string) bool { return strings.Contains(objectMethods, " "+name+" ") }

// sureMethod reports whether a method is a function for sure, so that its
// constructor is Function.
func sureMethod(o *object) bool {
	if objectMethod(o.method) || o.method == "call" || o.method == "apply" || o.method == "bind" {
		return true
	}
	for _, v := range o.recv.values {
		if v.what == thing && v.obj.list && arrayMethod(o.method) || v.what == constant && stringMethod(o.method) {
			return true
		}
	}
	return false
}

// newList makes an array of a place from elements that are known one by one.
func (i *interpreter) newList(n *node, role string, of *object, items []set) *object {
	o := i.object(n, role, of)
	if i.passes > coarseFrom && len(items) > len(o.props) { // it grows in a loop
		for _, s := range items {
			i.add(&o.rest, s)
		}
		return o
	}
	o.list = true
	for k, s := range items {
		if k >= maxProperties {
			i.add(&o.rest, s)
			continue
		}
		i.add(&o.slot(formatNumber(float64(k))).value, s)
	}
	return o
}

// callArray calls a method of an array, or of what may be one.
func (i *interpreter) callArray(o *object, name string, args arguments, n *node) set {
	items, exact := i.items(o.set(), n)
	exact = exact && len(items) <= 256
	all := i.elementsOf(o, n)
	switch name {
	case "join", "toString", "toLocaleString":
		return i.joinArray(o, name, args)
	case "push", "unshift", "fill":
		i.add(&o.rest, args.all())
		return inert
	case "pop", "shift", "at", "find", "findLast":
		i.callbackAs(args.at(1), args.at(0), n, all, inert, o.set())
		return all.with(inert)
	case "splice":
		i.add(&o.rest, args.from(2).all())
		return o.set()
	case "sort", "toSorted":
		i.callback(args.at(0), n, all, all)
		if exact && name == "toSorted" || exact && len(args.list) == 0 {
			list := i.object(n, "sorted", o)
			i.add(&list.rest, all)
			return list.set()
		}
		return o.set()
	case "reverse", "toReversed":
		if !exact {
			return o.set()
		}
		back := make([]set, len(items))
		for k, s := range items {
			back[len(items)-1-k] = s
		}
		return i.newList(n, "reversed", o, back).set()
	case "slice", "filter", "toSpliced", "copyWithin", "with", "values", "keys", "entries", "flat", "concat":
		return i.part(o, name, args, items, exact, all, n)
	case "map", "flatMap":
		return i.mapArray(o, args, items, exact, all, n)
	case "forEach", "some", "every", "findIndex", "findLastIndex":
		i.callbackAs(args.at(1), args.at(0), n, all, inert, o.set())
		return inert
	case "reduce", "reduceRight":
		return i.reduce(name, args, items, exact, all, n)
	case "includes", "indexOf", "lastIndexOf", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable":
		return inert
	case "valueOf":
		return o.set()
	case "next", "return", "throw":
		if o.generator != nil {
			i.add(&o.generator.sent, args.at(0))
		}
		step := i.object(n, "step", o)
		i.add(&step.slot("value").value, all)
		i.callback(args.at(0), n)
		return step.set()
	}
	i.statementText(value{what: thing, obj: o}, name, args, n)
	i.escape(args.all(), n)
	return anything
}

// part is a part of an array, or several put together.
func (i *interpreter) part(o *object, name string, args arguments, items []set, exact bool, all set, n *node) set {
	if name == "filter" {
		i.callbackAs(args.at(1), args.at(0), n, all, inert, o.set())
	}
	if exact {
		switch name {
		case "concat":
			if more, ok := i.items(args.at(0), n); ok && len(args.list) == 1 {
				return i.newList(n, "part", o, append(items[:len(items):len(items)], more...)).set()
			}
		case "slice":
			if from, to, ok := bounds(args, len(items)); ok {
				return i.newList(n, "part "+formatNumber(float64(from)), o, items[from:to]).set()
			}
		}
	}
	out := i.object(n, "part", o)
	i.add(&out.rest, all)
	for _, s := range args.list {
		i.add(&out.rest, i.elements(s, n).with(s))
	}
	if name == "flat" {
		i.add(&out.rest, i.elements(all, n))
	}
	if name == "entries" {
		i.add(&out.rest, out.set())
	}
	return out.set()
}

func (i *interpreter) mapArray(o *object, args arguments, items []set, exact bool, all set, n *node) set {
	if exact && len(items) <= bigArray {
		results := make([]set, len(items))
		for k, s := range items {
			results[k] = i.callbackAs(args.at(1), args.at(0), n, s, num(float64(k)), o.set())
			if len(results[k]) == 0 {
				results[k] = anything
			}
		}
		return i.newList(n, "mapped", o, results).set()
	}
	out := i.object(n, "mapped", o)
	result := i.callbackAs(args.at(1), args.at(0), n, all, inert, o.set())
	i.add(&out.rest, result.with(i.elements(result, n)))
	return out.set()
}

func (i *interpreter) reduce(name string, args arguments, items []set, exact bool, all set, n *node) set {
	if !exact || len(items) > bigArray {
		out := args.at(1).with(all)
		return out.with(i.callback(args.at(0), n, out.with(anything), all, inert))
	}
	if name == "reduceRight" {
		back := make([]set, len(items))
		for k, s := range items {
			back[len(items)-1-k] = s
		}
		items = back
	}
	acc := args.at(1)
	for k, s := range items {
		if k == 0 && args.missing(1) {
			acc = s
			continue
		}
		acc = i.callback(args.at(0), n, acc, s, num(float64(k)))
	}
	return acc
}

// joinArray puts an array's elements together.
func (i *interpreter) joinArray(o *object, name string, args arguments) set {
	sep := ","
	if name == "join" && !args.missing(0) {
		s := i.text(args.at(0), o.site)
		if len(s) != 1 || s[0].what != constant {
			return set{{what: text, built: true}}
		}
		sep = s[0].s
	}
	if joined, ok := o.join(sep); ok {
		return set{{what: constant, s: joined, built: true}}
	}
	items, exact := i.items(o.set(), o.site)
	if !exact || len(items) > bigArray {
		return set{{what: text, built: true}}
	}
	out := str("")
	for k, s := range items {
		if k > 0 {
			out = i.concat(out, str(sep))
		}
		out = i.concat(out, s)
	}
	return out
}

// join puts elements together where each is one string or number.
func (o *object) join(sep string) (string, bool) {
	if !o.list || len(o.rest.values) > 0 {
		return "", false
	}
	var parts []string
	size := 0
	for _, s := range o.items() {
		if len(s) != 1 {
			return "", false
		}
		switch v := s[0]; v.what {
		case constant:
			parts = append(parts, v.s)
		case number:
			parts = append(parts, formatNumber(v.n))
		default:
			return "", false
		}
		if size += len(parts[len(parts)-1]) + len(sep); size > maxText {
			return "", false
		}
	}
	return strings.Join(parts, sep), true
}
