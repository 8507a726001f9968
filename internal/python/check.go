package python

func check(m *Module, minor, maxDepth int) {}
