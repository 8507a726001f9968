package js

import (
	"strings"
)

func objectModels() map[string]model {
	return map[string]model{
		"Reflect.apply": func(i *interpreter, c call) set {
			return i.callAll(c.args.at(0), c.args.at(1), i.spread(c.args.at(2), c.node), c.node)
		},
		"Reflect.construct": func(i *interpreter, c call) set {
			var out set
			for _, v := range c.args.at(0) {
				out = out.with(i.construct(v, i.spread(c.args.at(1), c.node), c.node))
			}
			return out.with(inert)
		},
		"Reflect.get":                      getProperty,
		"Reflect.getOwnPropertyDescriptor": descriptor,
		"Object.getOwnPropertyDescriptor":  descriptor,
		"Object.getOwnPropertyDescriptors": descriptors,
		"Reflect.set":                      setProperty,
		"Reflect.defineProperty":           defineProperty,
		"Object.defineProperty":            defineProperty,
		"Object.defineProperties":          defineProperties,
		"Reflect.getPrototypeOf":           prototypeOf,
		"Object.getPrototypeOf":            prototypeOf,
		"Object.setPrototypeOf":            setPrototype,
		"Reflect.setPrototypeOf":           setPrototype,
		"Object.create":                    createObject,
		"Object.assign":                    assignProperties,
		"Object.values":                    values,
		"Object.entries":                   entries,
		"Object.keys":                      names,
		"Object.getOwnPropertyNames":       names,
		"Object.getOwnPropertySymbols":     names,
		"Reflect.ownKeys":                  names,
		"Object.fromEntries":               fromEntries,
		"Object.freeze":                    first,
		"Object.seal":                      first,
		"Object.preventExtensions":         first,
		"Object.groupBy":                   give(""),
		"structuredClone":                  first,
		"Object":                           first,
		"Array":                            newArray,
		"Array.of":                         newArray,
		"Array.from":                       arrayFrom,
		"Array.isArray":                    nothing,
		"Map":                              newCollection,
		"Set":                              newCollection,
		"WeakMap":                          newCollection,
		"WeakSet":                          newCollection,
		"WeakRef":                          first,
		"Proxy":                            newProxy,
		"Proxy.revocable": func(i *interpreter, c call) set {
			o := i.object(c.node, "revocable", nil)
			i.add(&o.slot("proxy").value, newProxy(i, c))
			return o.set()
		},
		"Uint8Array": bytesOf, "Uint8Array.from": bytesOf, "Uint16Array": bytesOf, "Uint8ClampedArray": bytesOf, "Uint32Array": bytesOf,
		"Int8Array": bytesOf,
	}
}

// getProperty is Reflect.get.
func getProperty(i *interpreter, c call) set {
	out := i.computed(c.args.at(0), c.args.at(1), c.node)
	i.mentionAt(c.node, out)
	names, _ := keyNames(c.args.at(1))
	return out.with(i.withReceiver(c.args.at(0), names, c.args.at(2), false, c.node))
}

// descriptor is an object that holds a property.
func descriptor(i *interpreter, c call) set {
	o := i.object(c.node, "descriptor", nil)
	out := i.computed(c.args.at(0), c.args.at(1), c.node)
	i.mentionAt(c.node, out)
	for _, name := range []string{"value", "get", "set"} {
		i.add(&o.slot(name).value, out)
	}
	names, _ := keyNames(c.args.at(1))
	for _, v := range c.args.at(0) {
		if v.what != thing {
			continue
		}
		for _, name := range names {
			if s := v.obj.props[name]; s != nil {
				i.add(&o.slot("get").value, s.get.values)
				i.add(&o.slot("set").value, s.set.values)
			}
		}
	}
	return o.set()
}

func setProperty(i *interpreter, c call) set {
	names, all := keyNames(c.args.at(1))
	for _, v := range c.args.at(0) {
		for _, name := range names {
			i.store(v, name, c.args.at(2), c.node)
		}
		if !all {
			i.storeAny(v, c.args.at(2), c.node)
		}
	}
	i.withReceiver(c.args.at(0), names, c.args.at(3), true, c.node, c.args.at(2))
	return inert
}

func defineProperty(i *interpreter, c call) set {
	names, all := keyNames(c.args.at(1))
	for _, d := range c.args.at(2) {
		if d.what != thing {
			continue
		}
		i.defineFrom(c.args.at(0), names, all, d.obj, c.node)
	}
	return c.args.at(0)
}

// defineFrom puts what a descriptor holds under names of objects.
func (i *interpreter) defineFrom(targets set, names []string, all bool, d *object, n *node) {
	if !all {
		names = append(names, "")
	}
	held, _ := i.lookup(d, "value")
	for _, v := range targets {
		for _, name := range names {
			switch {
			case v.what != thing && name != "":
				i.store(v, name, held, n)
			case v.what != thing:
				i.storeAny(v, held, n)
			default:
				i.define(v.obj, name, 0, held)
				if g := d.props["get"]; g != nil {
					i.define(v.obj, name, 'g', g.value.values)
				}
				if s := d.props["set"]; s != nil {
					i.define(v.obj, name, 's', s.value.values)
				}
			}
		}
	}
}

func defineProperties(i *interpreter, c call) set {
	for _, list := range c.args.at(1) {
		if list.what != thing {
			continue
		}
		for _, v := range c.args.at(0) {
			if v.what == thing {
				i.copyProperties(v.obj, list.obj.describes.values, c.node)
			}
		}
		for _, d := range list.obj.rest.values {
			if d.what == thing {
				i.defineFrom(c.args.at(0), nil, false, d.obj, c.node)
			}
		}
		for _, name := range list.obj.order {
			for _, d := range list.obj.props[name].value.values {
				if d.what == thing {
					i.defineFrom(c.args.at(0), []string{name}, true, d.obj, c.node)
				}
			}
		}
	}
	return c.args.at(0)
}

// prototypeOf is Object.getPrototypeOf.
func prototypeOf(i *interpreter, c call) set {
	var out set
	for _, v := range c.args.at(0) {
		switch {
		case v.callable():
			out = out.with(ref("Function.prototype"))
		case v.what == thing && len(v.obj.proto.values) > 0:
			out = out.with(v.obj.proto.values)
		case v.what == thing && v.obj.list:
			out = out.with(ref("Array.prototype"))
		case v.what == known && v.s == "module!":
			out = out.with(ref("module.prototype"))
		case v.what == known && strings.HasSuffix(v.s, ".prototype"):
			out = out.with(ref("Object.prototype"))
		case v.what == unknown:
			out = out.with(ref(someConstructor + ".prototype"))
		default:
			out = out.with(ref("Object.prototype"))
		}
	}
	return out
}

func setPrototype(i *interpreter, c call) set {
	for _, v := range c.args.at(0) {
		if v.what == thing {
			i.add(&v.obj.proto, c.args.at(1))
		} else {
			i.escape(c.args.at(1), c.node)
		}
	}
	return c.args.at(0)
}

func createObject(i *interpreter, c call) set {
	o := i.object(c.node, "created", nil)
	i.add(&o.proto, c.args.at(0))
	defineProperties(i, call{c.path, nil, arguments{list: []set{o.set(), c.args.at(1)}}, c.node, false})
	return o.set()
}

func assignProperties(i *interpreter, c call) set {
	for _, v := range c.args.at(0) {
		for _, s := range append(c.args.from(1).list, c.args.more) {
			if v.what == thing {
				i.copyProperties(v.obj, s, c.node)
				continue
			}
			for _, from := range s {
				if from.what != thing {
					continue
				}
				for _, name := range from.obj.order {
					i.store(v, name, i.read(from.obj.props[name], from.set()), c.node)
				}
			}
		}
	}
	return c.args.at(0)
}

// values is an array of what an object's properties hold. The parts of a module
// are handed on as if a name had been computed.
func values(i *interpreter, c call) set {
	var items []set
	exact := len(c.args.at(0)) == 1
	for _, v := range c.args.at(0) {
		if v.what == thing {
			exact = exact && len(v.obj.rest.values)+len(v.obj.copies.values) == 0
			for _, name := range v.obj.order {
				items = append(items, i.read(v.obj.props[name], v.set()))
			}
			if len(v.obj.rest.values) > 0 {
				items = append(items, v.obj.rest.values)
			}
			for _, lent := range v.obj.copies.values {
				items = append(items, i.anyMember(lent, nil, c.node))
			}
			continue
		}
		items = append(items, i.anyMember(v, nil, c.node))
	}
	o := i.object(c.node, "values", nil)
	if exact {
		o.list = true
		for k, s := range items {
			if k < maxProperties {
				i.add(&o.slot(formatNumber(float64(k))).value, s)
			}
		}
		return o.set()
	}
	for _, s := range items {
		i.add(&o.rest, s)
	}
	return o.set()
}

func entries(i *interpreter, c call) set {
	o := i.object(c.node, "entries", nil)
	pair := i.object(c.node, "entry", nil)
	i.add(&o.rest, pair.set())
	i.add(&pair.slot("0").value, i.keys(c.args.at(0)))
	for _, v := range i.elements(values(i, c), c.node) {
		i.add(&pair.slot("1").value, v.set())
	}
	return o.set()
}

func names(i *interpreter, c call) set {
	args := c.args.at(0)
	if len(args) == 1 && args[0].what == thing && len(args[0].obj.rest.values)+len(args[0].obj.copies.values) == 0 {
		var items []set
		for _, name := range args[0].obj.order {
			items = append(items, str(name))
		}
		return i.newList(c.node, "names", args[0].obj, items).set()
	}
	o := i.object(c.node, "names", nil)
	i.add(&o.rest, prefix(""))
	for _, v := range args {
		if v.what == known && strings.HasSuffix(v.s, ".prototype") && c.path != "Object.keys" {
			i.add(&o.rest, str("constructor")) // every prototype of the language has one
		}
	}
	return o.set()
}

func fromEntries(i *interpreter, c call) set {
	o := i.object(c.node, "object from", nil)
	for _, pair := range i.elements(c.args.at(0), c.node) {
		names, all := keyNames(i.element(pair.set(), 0, c.node))
		held := i.element(pair.set(), 1, c.node)
		for _, name := range names {
			i.define(o, name, 0, held)
		}
		if !all {
			i.add(&o.rest, held)
		}
	}
	return o.set()
}

func newArray(i *interpreter, c call) set {
	if len(c.args.list) == 1 && c.path == "Array" {
		o := i.object(c.node, "new array", nil)
		i.add(&o.rest, inert)
		return o.set()
	}
	o := i.newList(c.node, "new array", nil, c.args.list)
	i.add(&o.rest, c.args.more)
	return o.set()
}

func arrayFrom(i *interpreter, c call) set {
	items, exact := i.items(c.args.at(0), c.node)
	mapper := c.args.at(1)
	if exact && len(items) <= bigArray {
		for k, s := range items {
			if len(mapper) > 0 {
				items[k] = i.callbackAs(c.args.at(2), mapper, c.node, s, num(float64(k)))
			}
		}
		return i.newList(c.node, "array from", nil, items).set()
	}
	o := i.object(c.node, "some array", nil)
	for _, s := range items {
		i.add(&o.rest, s)
	}
	if len(mapper) > 0 {
		i.add(&o.rest, i.callbackAs(c.args.at(2), mapper, c.node, o.rest.values.with(inert), inert))
	}
	return o.set()
}

func newCollection(i *interpreter, c call) set {
	o := i.object(c.node, "collection", nil)
	o.slot("@@collection")
	for _, v := range i.elements(c.args.at(0), c.node) {
		i.add(&o.rest, v.set())
		if strings.HasSuffix(c.path, "Map") {
			i.add(&o.slot("@@keys").value, i.element(v.set(), 0, c.node))
			i.add(&o.rest, i.element(v.set(), 1, c.node))
		}
	}
	return o.set()
}

// newProxy is the target and whatever the traps give.
func newProxy(i *interpreter, c call) set {
	o := i.object(c.node, "proxy", nil)
	target := c.args.at(0)
	i.add(&o.proto, target)
	for _, h := range c.args.at(1) {
		if h.what != thing {
			continue
		}
		for _, trap := range h.obj.order {
			got := i.callback(h.obj.props[trap].value.values, c.node, target, prefix(""), anything, anything)
			switch trap {
			case "get", "getOwnPropertyDescriptor":
				i.add(&o.rest, got)
			case "apply", "construct":
				i.add(&o.slot("@@call").value, h.obj.props[trap].value.values)
				i.add(&o.rest, got)
			}
		}
	}
	return o.set().with(target)
}

// bytesOf is an array of numbers, or its elements.
func bytesOf(i *interpreter, c call) set {
	for _, v := range c.args.at(0) {
		if v.what == thing && v.obj.list || v.what == constant {
			return c.args.at(0)
		}
	}
	o := i.object(c.node, "bytes", nil)
	i.add(&o.rest, inert)
	return o.set()
}
