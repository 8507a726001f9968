package js

import (
	"strings"
	"sync"
)

// call is one call of something known.
type call struct {
	path  string
	this  set
	args  arguments
	node  *node
	isNew bool
}

// model says what a call gives, and what it does with functions that it is given.
type model func(*interpreter, call) set

// models are the functions of the language and of Node.js whose results matter.
// Source: ECMAScript 2023; Node.js 20.
func models() map[string]model {
	modelsOnce.Do(func() { modelsByPath = makeModels() })
	return modelsByPath
}

var (
	modelsOnce   sync.Once
	modelsByPath map[string]model
)

func makeModels() map[string]model {
	m := map[string]model{
		"require":                      func(i *interpreter, c call) set { return i.module(c.args.at(0), c.node) },
		"process.mainModule.require":   func(i *interpreter, c call) set { return i.module(c.args.at(0), c.node) },
		"process.getBuiltinModule":     func(i *interpreter, c call) set { return i.module(c.args.at(0), c.node) },
		"module._load":                 func(i *interpreter, c call) set { return i.module(c.args.at(0), c.node) },
		"module.createRequire":         give("require"),
		"module.createRequireFromPath": give("require"),
		"require.resolve":              give(""),
		"(Function)":                   makeFunction,
		"(constructor)":                func(i *interpreter, c call) set { i.escape(c.args.all(), c.node); return anything },
		"Function":                     makeFunction,
		"AsyncFunction":                makeFunction,
		"eval":                         evalText,
		"vm.runInThisContext":          evalText,
	}
	for _, more := range []map[string]model{objectModels(), textModels(), asyncModels(), nodeModels()} {
		for path, f := range more {
			m[path] = f
		}
	}
	return m
}

// give is the model of a call that always gives one thing.
func give(path string) model {
	return func(i *interpreter, c call) set {
		i.escape(c.args.all(), c.node)
		if path == "" {
			return inert
		}
		return ref(path)
	}
}

// first is the model of a call that gives its first argument back.
func first(i *interpreter, c call) set { return c.args.at(0) }

// nothing is the model of a call that neither gives nor calls anything.
func nothing(*interpreter, call) set { return inert }

// makeFunction is a function that is made of text.
func makeFunction(i *interpreter, c call) set {
	o := i.object(c.node, "made", nil)
	o.method = "(made)"
	i.add(&o.recv, anything)
	if len(c.args.list) > 0 {
		i.add(&o.recv, textResult(c.args.list[len(c.args.list)-1]))
	}
	return o.set()
}

// evalText is what running a text gives: some texts are names.
func evalText(_ *interpreter, c call) set { return textResult(c.args.at(0)) }

// textResult is what the texts that programs are known to run for their value
// give: return this, return process.
func textResult(s set) set {
	out := anything
	for _, v := range s {
		if v.what != constant {
			continue
		}
		switch trimCode(v.s) {
		case "this", "globalThis", "global":
			out = out.with(ref("globalThis"))
		case "process", "this.process", "globalThis.process":
			out = out.with(ref("process"))
		case "require", "this.require":
			out = out.with(ref("require"))
		}
	}
	return out
}

// trimCode is a short program without return and semicolons.
func trimCode(s string) string {
	s = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s), "return"))
	return strings.Trim(s, "; \n()")
}
