package policy

import (
	"time"

	"palisade/internal/yamlfile"
)

// Upper bounds of what a file may grant: beyond them a limit is a mistake.
const (
	maxTime   = 24 * time.Hour
	maxMemory = 1 << 40
	maxBytes  = 1 << 40
	maxCount  = 1 << 20
)

func (r *reading) limits(n *yamlfile.Node) {
	l := &r.p.Limits
	r.place("limits", n)
	r.Keys(n, map[string]func(*yamlfile.Node){
		"cpu":        func(n *yamlfile.Node) { l.CPU = r.Duration(n, maxTime) },
		"wall":       func(n *yamlfile.Node) { l.Wall = r.Duration(n, maxTime) },
		"memory":     func(n *yamlfile.Node) { l.Memory = r.Size(n, maxMemory) },
		"output":     func(n *yamlfile.Node) { l.Output = r.Size(n, maxBytes) },
		"kept":       func(n *yamlfile.Node) { l.Kept = r.Size(n, 64<<20) },
		"processes":  func(n *yamlfile.Node) { l.Processes = int(r.Int(n, 1, maxCount)) },
		"open_files": func(n *yamlfile.Node) { l.OpenFiles = int(r.Int(n, 1, maxCount)) },
		"disk":       func(n *yamlfile.Node) { l.Disk = r.Size(n, maxBytes) },
		"inodes":     func(n *yamlfile.Node) { l.Inodes = r.Int(n, 1, 1<<30) },
	})
}

func (r *reading) isolation(n *yamlfile.Node) {
	var own []string // layers
	named := false
	r.Keys(n, map[string]func(*yamlfile.Node){
		"backends": func(n *yamlfile.Node) {
			r.place("isolation.backends", n)
			r.p.Isolation.Backends = r.Texts(n)
			named = true
		},
		"layers": func(n *yamlfile.Node) {
			r.Each(n, func(f yamlfile.Field) {
				if r.p.Isolation.Layers == nil {
					r.p.Isolation.Layers = map[string]string{}
				}
				r.place("isolation.layers."+f.Name, f.Value)
				own = append(own, f.Name)
				if f.Value.Kind == yamlfile.Null { // no longer wanted
					delete(r.p.Isolation.Layers, f.Name)
					return
				}
				r.p.Isolation.Layers[f.Name] = r.Text(f.Value)
			})
		},
	})
	if named {
		r.fit(own)
	}
}
