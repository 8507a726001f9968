package sandbox

import (
	"strconv"
	"sync"
)

// Names returns a source of names that differ in one process: a prefix and a
// number.
func Names(prefix string) func() string {
	var mu sync.Mutex
	var n int
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return prefix + strconv.Itoa(n)
	}
}
