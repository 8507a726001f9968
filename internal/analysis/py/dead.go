package py

import "palisade/internal/python"

// Dead counts the calls that stand where they never run, or behind a condition
// that is constant: a way to make a program look like another one.
func Dead(m *python.Module) int {
	n := 0
	python.Inspect(m, func(node python.Node) bool {
		switch node := node.(type) {
		case *python.If:
			if isFixed(node.Test) {
				n += callsIn(node.Body) + callsIn(node.Orelse)
				return false
			}
			n += unreached(node.Body) + unreached(node.Orelse)
		case *python.While:
			if isFixed(node.Test) && !truthy(node.Test) {
				n += callsIn(node.Body)
				return false
			}
			n += unreached(node.Body)
		case *python.For:
			n += unreached(node.Body)
		case *python.FunctionDef:
			n += unreached(node.Body)
		case *python.AsyncFunctionDef:
			n += unreached(node.Body)
		}
		return true
	})
	return n
}

// isFixed reports whether an expression is made of constants alone.
func isFixed(e python.Expr) bool {
	switch e := e.(type) {
	case *python.Constant:
		return true
	case *python.UnaryOp:
		return isFixed(e.Operand)
	case *python.BinOp:
		return isFixed(e.Left) && isFixed(e.Right)
	case *python.Compare:
		for _, c := range e.Comparators {
			if !isFixed(c) {
				return false
			}
		}
		return isFixed(e.Left)
	}
	return false
}

// truthy reports whether an expression is True or a number other than 0, as
// endless loops are written.
func truthy(e python.Expr) bool {
	c, ok := e.(*python.Constant)
	return ok && (c.Value.Kind == python.Bool || c.Value.Kind == python.Int) && (c.Value.Int != 0 || c.Value.Big != nil)
}

// unreached counts the calls behind a statement that ends its block.
func unreached(body []python.Stmt) int {
	for i, s := range body {
		switch s.(type) {
		case *python.Return, *python.Raise, *python.Break, *python.Continue:
			return callsIn(body[i+1:])
		}
	}
	return 0
}

func callsIn(body []python.Stmt) int {
	n := 0
	for _, s := range body {
		python.Inspect(s, func(node python.Node) bool {
			if _, ok := node.(*python.Call); ok {
				n++
			}
			return true
		})
	}
	return n
}
