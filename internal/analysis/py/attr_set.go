package py

import (
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// setAttribute stores base.attr = v.
func (in *interp) setAttribute(n python.Node, base val, attr string, v val, sure bool) {
	if writable[attr] {
		in.introspect(n, attr, analysis.KindName, "assigned")
	}
	if lendsMemory(attr) {
		in.memory(n, attr)
	}
	if attr == "__doc__" || attr == "__test__" {
		in.documented(n, v)
	}
	if annotationNames[attr] {
		in.annotates(n, attr)
	}
	in.librarySetting(n, attr, v)
	in.styled(n, base, attr)
	in.pathAttribute(n, base, attr, v)
	if base.open {
		in.set(in.looseCell(attr), v, false)
	}
	for i := range base.size() {
		o := base.at(i)
		switch o := o.(type) {
		case module:
			in.set(in.looseCell(string(o)+":"+attr), v, false)
			if string(o) != "sys" || !streams[attr] {
				in.introspect(n, string(o)+"."+attr, analysis.KindPrivate, "a module's attribute is replaced")
			}
			if e, ok := in.lookup(in.dotted(string(o), attr)); ok {
				for _, u := range e.uses {
					in.use(n, symbol(string(o)+"."+attr), u, nil, "assigned")
				}
			}
		case *unit:
			in.set(in.looseCell("unit "+o.name+":"+attr), v, false)
			if o.scope != nil {
				if c, ok := o.scope.vars[attr]; ok {
					in.set(c, v, false)
				}
			}
		case *instance:
			if c, ok := o.of.(*class); ok {
				in.set(c.attrCell(attr), v, false)
				in.setter(n, c, o, attr, v)
				continue
			}
			if o.of == symbol("builtins.type") {
				continue
			}
			if s, ok := o.of.(symbol); ok {
				in.settingAttribute(n, s, attr, v)
				in.fileAttribute(n, s, attr, v)
				if ofFiles(s, attr) {
					in.private(n, string(s)+"."+attr)
				}
			}
			in.set(in.looseCell(attr), v, false)
		case *class:
			cell, ok := o.attrs.vars[attr]
			if !ok {
				cell = newCell()
				o.attrs.vars[attr] = cell
			}
			in.set(cell, v, false)
		default:
			if s, ok := o.(symbol); ok {
				in.settingAttribute(n, s, attr, v)
			}
			in.set(in.looseCell(attr), v, false)
		}
	}
}

// streams are the attributes of sys that programs replace to catch output.
var streams = nameSet("stdout stderr stdin displayhook")

// writable are the attributes that change what an object is.
var writable = nameSet(`__class__ __code__ __bases__ __globals__ __builtins__ __defaults__ __kwdefaults__
	__closure__ __mro__ f_trace f_lineno __traceback__`)

// introspective are the attributes that lead from any object into the
// interpreter. Source: Python's data model ("Special read-only attributes",
// "Code objects", "Frame objects", "Traceback objects") and inspect's table of
// types and members.
var introspective = nameSet(`__globals__ __builtins__ __subclasses__ __mro__ __bases__ __base__ __code__
	__closure__ __self__ __func__ __getattribute__ __reduce__ __reduce_ex__ __loader__ __spec__
	__import__ __traceback__ __objclass__ __wrapped__ __subclasshook__ __subclasscheck__
	__defaults__ __kwdefaults__ __thisclass__ __self_class__ __cached__
	__getstate__ __setstate__ __basicsize__ __dictoffset__ __flags__ __weakrefoffset__
	mro gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_await cr_origin ag_frame ag_code ag_await
	tb_frame tb_next tb_lasti f_globals f_locals f_builtins f_back f_code f_trace
	co_code co_consts co_names co_varnames co_freevars func_globals func_code func_closure im_func im_self
	_getframe _current_frames _current_exceptions _getframemodulename`)

// spelled renders how a value is written, for evidence.
func spelled(n python.Node) string {
	switch n := n.(type) {
	case *python.Name:
		return n.Id
	case *python.Attribute:
		return spelled(n.Value) + "." + n.Attr
	case *python.Call:
		return spelled(n.Func) + "(…)"
	case *python.Subscript:
		return spelled(n.Value) + "[…]"
	}
	return "…"
}

// respelled gives the spelling only where it differs from the resolved name.
func respelled(n python.Node, resolved string) string {
	if s := spelled(n); s != resolved {
		return s
	}
	return ""
}
