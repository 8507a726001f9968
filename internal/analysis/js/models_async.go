package js

func asyncModels() map[string]model {
	return map[string]model{
		"Promise":         newPromise,
		"Promise.resolve": func(i *interpreter, c call) set { return i.settled(c.args.at(0)).with(nil) },
		"Promise.reject":  func(i *interpreter, c call) set { i.add(&i.thrown, c.args.at(0)); return anything },
		"Promise.all":     allOf, "Promise.allSettled": allSettled, "Promise.race": oneOf, "Promise.any": oneOf,
		"setTimeout": later, "setInterval": later, "setImmediate": later, "queueMicrotask": later,
		"process.nextTick": later, "timers/promises.setTimeout": func(i *interpreter, c call) set { return c.args.at(1) },
		"util.inherits":  inherits,
		"util.promisify": first, "util.callbackify": first, "util.deprecate": first, "util.types": nothing,
		"events.once":     give(""),
		"AbortController": nothing,
		"console.log":     shown, "console.error": shown, "console.info": shown, "console.warn": shown, "console.debug": shown,
		"console.table": shown, "console.dir": shown,
		"process.stdout.write": shown, "process.stderr.write": shown,
	}
}

// shown is a call that only prints its arguments: of an object, what its own
// toString, inspect and getters do.
func shown(i *interpreter, c call) set {
	for _, s := range append(c.args.list, c.args.more) {
		for _, v := range s {
			if v.what != thing {
				continue
			}
			for _, name := range []string{"toString", "inspect", "@@toPrimitive", "toJSON"} {
				if found, ok := i.lookup(v.obj, name); ok {
					i.callAll(found, v.set(), arguments{}, c.node)
				}
			}
		}
	}
	return inert
}

// newPromise calls the executor with functions that keep what they are given.
func newPromise(i *interpreter, c call) set {
	o := i.object(c.node, "promise", nil)
	give := i.object(c.node, "give", o)
	give.method = "(give)"
	i.add(&give.recv, o.set())
	o.slot("@@settled")
	i.callback(c.args.at(0), c.node, give.set(), give.set())
	return o.set()
}

func allOf(i *interpreter, c call) set {
	items, exact := i.items(c.args.at(0), c.node)
	if exact && len(items) <= bigArray {
		for k := range items {
			items[k] = i.settled(items[k])
		}
		return i.newList(c.node, "all", nil, items).set()
	}
	o := i.object(c.node, "some", nil)
	for _, s := range items {
		i.add(&o.rest, i.settled(s))
	}
	return o.set()
}

func allSettled(i *interpreter, c call) set {
	result := i.object(c.node, "result", nil)
	i.add(&result.slot("value").value, i.settled(i.elements(c.args.at(0), c.node)))
	o := i.object(c.node, "results", nil)
	i.add(&o.rest, result.set())
	return o.set()
}

func oneOf(i *interpreter, c call) set {
	return i.settled(i.elements(c.args.at(0), c.node))
}

// later calls a function at another time; some take a text instead.
func later(i *interpreter, c call) set {
	for _, v := range c.args.at(0) {
		switch v.what {
		case constant, text:
			i.apply(c.path, effect{does: "eval"}, arguments{list: []set{v.set()}}, c.node)
		case thing, known:
			rest := c.args.from(2)
			if c.path != "setTimeout" && c.path != "setInterval" {
				rest = c.args.from(1)
			}
			var this set // setTimeout has an object of its own
			if c.path != "queueMicrotask" {
				this = anything
			}
			i.call(v, this, rest, c.node)
		}
	}
	return inert
}
