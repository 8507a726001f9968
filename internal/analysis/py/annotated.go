package py

import (
	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// Annotations are code. functools.singledispatch and typing.get_type_hints
// evaluate those that are text, and dataclasses writes the names of a class's
// fields into the text of the methods that it makes. Where they stand in the
// program they are read (see annotation); where they are put together while it
// runs, they are not. Sources: functools.singledispatch.register,
// dataclasses._process_class of CPython 3.11.

// annotationNames are the attributes that hold them.
var annotationNames = nameSet("__annotations__ __annotate__ __dataclass_fields__ __type_params__")

// annotationsOf is the dict of an object's annotations, as an object that notes
// what is done to it.
const annotationsOf = symbol("types.Annotations")

// annotates reports annotations that are assigned.
func (in *interp) annotates(n python.Node, attr string) {
	in.report(n, analysis.Fact{
		Capability: palisade.CapEvaluate, Symbol: attr, Unknown: true, Kind: analysis.KindText,
		Evidence: "annotations and names of fields become code, and these are put together while the program runs",
	})
}

// changesAnnotations are the methods of a dict that change it.
var changesAnnotations = nameSet("update setdefault __setitem__ __ior__ __init__")

// fieldTexts is the names of fields for make_dataclass: texts of the
// interpreter's own are checked by it, those of a class of the program tell it
// whatever they like.
func (in *interp) fieldTexts(n python.Node, v val) {
	fields := in.each(n, v)
	for i := range fields.size() {
		o := fields.at(i)
		if l, ok := o.(*list); ok {
			o = first(in.listItem(l, one(cInt(0))))
		}
		if i, ok := o.(*instance); ok {
			if _, own := i.of.(*class); own {
				in.annotates(n, "dataclasses.make_dataclass")
				return
			}
		}
	}
}

// annotationKey is an entry of a dict, which may be the namespace of a class.
func (in *interp) annotationKey(n python.Node, key val) {
	for _, name := range keysOf(key) {
		if annotationNames[name] {
			in.annotates(n, name)
		}
	}
}

// fieldOf is a dataclass's field: its name is text of the methods of whatever
// inherits it.
const fieldOf = symbol("dataclasses.Field")

// copied is functools.update_wrapper and wraps: each attribute that a text
// names is read of what is wrapped, and set on the wrapper.
func (in *interp) copied(n python.Node, wrapped val, args callArgs, first int) {
	if name := in.attribute(n, wrapped, "__name__"); !name.empty() {
		in.set(in.looseCell("__name__"), name, false)
	}
	for i, key := range []string{"assigned", "updated"} {
		given := args.get(first+i, key)
		if given.empty() {
			continue
		}
		names := in.each(n, given)
		in.getattr(n, wrapped, names)
		for _, name := range keysOf(names) {
			if annotationNames[name] && name != "__annotations__" && name != "__type_params__" {
				in.annotates(n, name)
			}
		}
	}
}
