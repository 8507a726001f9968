package py

import (
	"testing"

	"palisade"
	"palisade/internal/python"
)

// lateImports import os by a name that arrives late: in a further round of a
// loop, or once another function has run.
var lateImports = map[string]string{
	"a global behind a call": `X = 'math'
def get():
    return X
def use():
    __import__(get())
def late():
    global X
    X = 'os'`,
	"a chain of variables in a loop": `a = b = c = d = e = f = g = h = 'math'
n = int(input())
for i in range(n):
    __import__(a)
    a = b
    b = c
    c = d
    d = e
    e = f
    f = g
    g = h
    h = 'os'`,
	"a variable that held the value before": `m = 'os'
m = 'math'
k = 'os'
k = 'math'
i = 0
i = 1
n = int(input())
while n:
    __import__(k)
    k = m
    m = 'os'`,
	"an item that is set later": `L = ['math']
def use():
    __import__(L[0])
def late():
    L[0] = 'os'
use()`,
	"a list that grows later": `L = ['math']
def use():
    for m in L:
        __import__(m)
def late(x):
    L.append('os')`,
	"a dict that grows later": `D = {'a': 'math'}
def use(k):
    __import__(D[k])
def late(x):
    D[x] = 'os'`,
	"a chain of attributes in a loop": `class A:
    pass
def chain(n):
    a = A(); a.x = a.y = a.z = a.w = a.v = a.u = a.t = 'math'
    for i in range(n):
        __import__(a.x)
        a.x = a.y
        a.y = a.z
        a.z = a.w
        a.w = a.v
        a.v = a.u
        a.u = a.t
        a.t = 'os'`,
	"a chain of functions": `def f9(x): __import__(x)
def f8(x): f9(x)
def f7(x): f8(x)
def f6(x): f7(x)
def f5(x): f6(x)
def f4(x): f5(x)
def f3(x): f4(x)
def f2(x): f3(x)
def f1(x): f2(x)
def g9(): return g8()
def g8(): return g7()
def g7(): return g6()
def g6(): return g5()
def g5(): return g4()
def g4(): return g3()
def g3(): return g2()
def g2(): return g1()
def g1(): return Y
Y = 'math'
def go(): f1(g9())
def late():
    global Y
    Y = 'os'`,
	"globals handed from one to the next": `a = b = c = d = 'math'
def p():
    global a
    __import__(a)
    a = b
def q():
    global b
    b = c
def r():
    global c
    c = d
def s():
    global d
    d = 'os'`,
	"a list shared by closures": `def outer():
    L = []
    def add(m):
        L.append(m)
    def use():
        for m in L:
            __import__(m)
    return add, use
add, use = outer()
use()
add('os')
use()`,
}

// TestRounds reads programs that only show what they import when loops and
// functions are read until nothing changes.
func TestRounds(t *testing.T) {
	for name, src := range lateImports {
		tree, err := python.Parse([]byte(src), python.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, b := range []Budget{{}, {Precise: 1}} {
			facts, err := Analyze(Program{Main: Source{"p.py", tree}}, b)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			found := false
			for _, f := range facts {
				found = found || f.Capability == palisade.CapImport && (f.Argument == "os" || f.Unknown)
			}
			if !found {
				t.Errorf("%s (%+v): os is not found: %v", name, b, facts)
			}
		}
	}
}
