package httpapi

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"
)

// holding is how many bytes are held, of each tenant and of all.
type holding struct {
	of  map[string]int64
	all int64
}

func (h *holding) add(tenant string, size int64) {
	if h.of == nil {
		h.of = map[string]int64{}
	}
	h.of[tenant] += size
	h.all += size
}

// most is the tenant that has most.
func (h *holding) most() string {
	return slices.MaxFunc(slices.Sorted(maps.Keys(h.of)), func(x, y string) int { return cmp.Compare(h.of[x], h.of[y]) })
}

// leaving are the files of one run.
type leaving struct {
	tenant, run string
	at          time.Time
	size        int64
}

// Sweep deletes what is too old or too much.
func (a *Artifacts) Sweep() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	all, err := a.list()
	if err != nil {
		return fmt.Errorf("sweep artifacts: %w", err)
	}
	a.held = holding{}
	for _, one := range all {
		a.held.add(one.tenant, one.size)
	}
	old := func(one leaving) bool { return a.now().Sub(one.at) > a.age }
	over := func(one leaving) bool { return a.held.of[one.tenant] > a.share }
	for _, too := range []func(leaving) bool{old, over} {
		if all, err = a.drop(all, too); err != nil {
			return err
		}
	}
	// Whoever has less than others loses nothing to them.
	for a.held.all > a.size && len(all) > 0 {
		most, found := a.held.most(), false
		all, err = a.drop(all, func(one leaving) bool {
			first := !found && one.tenant == most
			found = found || first
			return first
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// list finds the runs that left files, the oldest first, and takes away what holds
// none. a.mu must be held.
func (a *Artifacts) list() ([]leaving, error) {
	tenants, err := fs.ReadDir(a.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var all []leaving
	for _, tenant := range tenants {
		runs, err := fs.ReadDir(a.root.FS(), tenant.Name())
		if err == nil && len(runs) == 0 {
			_ = a.root.Remove(tenant.Name()) // the next sweep sees it again
		}
		for _, run := range runs {
			info, err := run.Info()
			if err != nil {
				continue // gone meanwhile
			}
			one := leaving{tenant.Name(), run.Name(), info.ModTime(), 0}
			files, _ := fs.ReadDir(a.root.FS(), filepath.Join(one.tenant, one.run))
			for _, f := range files {
				if info, err := f.Info(); err == nil {
					one.size += info.Size()
				}
			}
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(x, y leaving) int { return x.at.Compare(y.at) })
	return all, nil
}

// drop deletes those that are too much, one after the other, and returns the rest.
// a.mu must be held.
func (a *Artifacts) drop(all []leaving, too func(leaving) bool) (rest []leaving, err error) {
	for _, one := range all {
		if !too(one) {
			rest = append(rest, one)
			continue
		}
		if err := a.root.RemoveAll(filepath.Join(one.tenant, one.run)); err != nil {
			return nil, fmt.Errorf("sweep artifacts: %w", err)
		}
		a.held.add(one.tenant, -one.size)
	}
	return rest, nil
}
