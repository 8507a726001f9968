package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Swept says what a sweep removed.
type Swept struct {
	Homes, Groups, Processes int
}

// Sweep removes what dead starts of this program left below parent: processes
// of their boxes that still live, control groups, and their homes. It touches
// only what an owner's record names as ours and whose owner is dead. There are
// no mounts to remove, since a box has none on the host.
func Sweep(parent string) (Swept, error) {
	var s Swept
	var errs []error
	all, err := homes(parent)
	if err != nil {
		return s, fmt.Errorf("sweep: %w", err)
	}
	for _, h := range all {
		if !h.Owner.Dead() {
			continue
		}
		s.Processes += killMembers(h)
		n, err := sweepGroups(h)
		s.Groups += n
		errs = append(errs, err)
		if err == nil {
			s.Homes++
			errs = append(errs, h.Close())
		}
	}
	n, err := sweepOrphans()
	s.Groups += n
	return s, errors.Join(append(errs, err)...)
}

// sweepOrphans removes control groups whose home is gone and whose owner, who is
// part of a group's name, is dead. Groups do not outlive a boot.
func sweepOrphans() (int, error) {
	parents, _, err := hostTree().own()
	if err != nil {
		return 0, nil //nolint:nilerr // no groups here, so none were left
	}
	removed := 0
	var errs []error
	for _, parent := range parents {
		entries, err := os.ReadDir(parent)
		if err != nil {
			continue
		}
		for _, e := range entries {
			o, err := here()
			var namespace, random uint64
			n, _ := fmt.Sscanf(e.Name(), groupPrefix+"%d-%d-%d-%d", &namespace, &o.PID, &o.Start, &random)
			if err != nil || n != 4 || namespace != o.Namespace || !e.IsDir() || !o.Dead() {
				continue
			}
			if err := hostTree().remove(filepath.Join(parent, e.Name())); err != nil {
				errs = append(errs, err)
				continue
			}
			removed++
		}
	}
	return removed, errors.Join(errs...)
}

// membersFile lists processes of a home beside its owner, one record a line.
const membersFile = "members.jsonl"

// AddMember records that a process belongs to the home, so that a sweep after
// the owner's death finds it.
func (h *Home) AddMember(pid int) error {
	o, err := OwnerOf(pid)
	if err != nil {
		return err
	}
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(h.Dir, membersFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	return errors.Join(err, f.Close())
}

// killMembers kills the home's processes that still live, and counts them.
func killMembers(h *Home) int {
	data, err := os.ReadFile(filepath.Join(h.Dir, membersFile))
	if err != nil {
		return 0
	}
	current, err := here()
	if err != nil {
		return 0
	}
	killed := 0
	for line := range strings.SplitSeq(string(data), "\n") {
		var o Owner
		if json.Unmarshal([]byte(line), &o) != nil || o.PID <= 1 || o.Boot != current.Boot || o.Dead() || o.Namespace != current.Namespace {
			continue
		}
		if syscall.Kill(o.PID, syscall.SIGKILL) == nil {
			killed++
		}
	}
	return killed
}

// sweepGroups removes the control groups of a dead home.
func sweepGroups(h *Home) (int, error) {
	parents, _, err := hostTree().own()
	if err != nil {
		return 0, nil //nolint:nilerr // no groups here, so none were left
	}
	removed := 0
	var errs []error
	for _, parent := range parents {
		dir := filepath.Join(parent, h.Name())
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		if err := hostTree().remove(dir); err != nil {
			errs = append(errs, err)
			continue
		}
		removed++
	}
	return removed, errors.Join(errs...)
}
