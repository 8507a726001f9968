package incident

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// unique is a name that no other file has.
func unique() string { return strings.ToLower(rand.Text()) }

// Switching changes a state; see [SetLockdown] and [SetEgressOff].
type Switching func(*State, Switch)

// SetLockdown and SetEgressOff are the two changes that there are.
func SetLockdown(s *State, to Switch)  { s.Lockdown = to }
func SetEgressOff(s *State, to Switch) { s.EgressOff = to }

// Set switches one thing for every gate, on stable storage. Where what is
// switched on cannot be written, the state is removed: that is a lockdown, and
// the error says so.
func (f *Folder) Set(change Switching, to Switch) error {
	if len(to.Why) > maxWhy {
		return fmt.Errorf("the reason is longer than %d bytes", maxWhy)
	}
	to.When = f.now().UTC()
	err := f.locked(func() error {
		s, _ := f.State() // what cannot be read is a lockdown, of which one thing is changed
		change(&s, to)
		data, err := s.encode()
		if err != nil {
			return err
		}
		return f.write(stateName, data)
	})
	if err == nil || !to.On {
		return err
	}
	if gone := f.root.Remove(stateName); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		return errors.Join(err, gone)
	}
	return fmt.Errorf("the state could not be written, so that it was removed: every gate is locked down until it is switched again: %w", err)
}

// lockPatience bounds the wait for whoever else switches something.
const lockPatience = 5 * time.Second

// locked runs fn while no other process switches anything.
func (f *Folder) locked(fn func() error) error {
	lock, err := f.root.OpenFile(lockName, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	for end := time.Now().Add(lockPatience); ; time.Sleep(time.Millisecond) {
		err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return fn()
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) || time.Now().After(end) {
			return fmt.Errorf("lock the brake: %w", err)
		}
	}
}

// requestLife is how long a request stands: runs that begin while it does are
// ended too, those that begin later are not.
const requestLife = 10 * time.Second

// Kill asks every gate to end runs. The request stands until the function that
// it returns is called, and no longer than ten seconds.
func (f *Folder) Kill(r Request) (withdraw func() error, err error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if len(r.Why) > maxWhy {
		return nil, fmt.Errorf("the reason is longer than %d bytes", maxWhy)
	}
	r.When = f.now().UTC()
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(killDir, unique())
	if err := f.write(name, data); err != nil {
		return nil, err
	}
	return func() error { return f.root.Remove(name) }, nil
}

// requests are those that stand. One that cannot be read asks for everything.
func (f *Folder) requests() []Request {
	var all []Request
	names, err := f.names(killDir)
	if err != nil {
		return []Request{{All: true, Why: "the requests to kill cannot be read: " + err.Error()}}
	}
	for _, name := range names {
		name = filepath.Join(killDir, name)
		info, err := f.root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // withdrawn
		}
		if err == nil && f.now().Sub(info.ModTime()).Abs() > requestLife {
			_ = f.root.Remove(name) // whoever asked is gone; it has lost its meaning, removed or not
			continue
		}
		var r Request
		data, err := f.read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = errors.Join(strict(data, &r), r.check())
		}
		if err != nil {
			r = Request{All: true, Why: "a request to kill cannot be read: " + err.Error()}
		}
		all = append(all, r)
	}
	return all
}

// names lists a folder; what begins with a dot is being written.
func (f *Folder) names(dir string) ([]string, error) {
	d, err := f.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	all, err := d.Readdirnames(-1)
	names := all[:0]
	for _, name := range all {
		if !strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
	}
	return names, err
}

// Running is one run that a gate is executing.
type Running struct {
	Run    string    `json:"run"`
	Tenant string    `json:"tenant,omitempty"`
	PID    int       `json:"pid,omitempty"` // of the gate's process
	Since  time.Time `json:"since"`
}

// register shows a run to other processes, for as long as the file is open.
func (f *Folder) register(r Running) (leave func() error, err error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(runningDir, r.Run)
	file, err := f.create(name)
	if err != nil {
		return nil, err
	}
	// The lock tells that its owner lives: a file without one was left behind,
	// unless it is still empty.
	if err = unix.Flock(int(file.Fd()), unix.LOCK_EX); err == nil {
		_, err = file.Write(data)
	}
	if err != nil {
		return nil, errors.Join(err, f.root.Remove(name), file.Close())
	}
	return func() error { return errors.Join(f.root.Remove(name), file.Close()) }, nil
}

// Running lists what the gates of the state folder are executing, and sweeps
// what dead ones left.
func (f *Folder) Running() ([]Running, error) {
	names, err := f.names(runningDir)
	if err != nil {
		return nil, err
	}
	var all []Running
	for _, name := range names {
		r, alive, err := f.running(filepath.Join(runningDir, name))
		if err != nil {
			return all, err
		}
		if alive {
			r.Run = name
			all = append(all, r)
		}
	}
	return all, nil
}

func (f *Folder) running(name string) (r Running, alive bool, err error) {
	file, err := f.root.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil // it ended
	}
	if err != nil {
		return r, false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return r, false, err
	}
	if unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil {
		if info.Size() == 0 && f.now().Sub(info.ModTime()).Abs() < requestLife {
			return r, false, nil // it is being made: its run asks before it starts
		}
		if err := f.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return r, false, err
		}
		return r, false, nil
	}
	if info.Size() == 0 {
		return r, true, nil // locked, and not yet written: all that is known is its name
	}
	data, err := f.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	}
	// What cannot be read of it is left out: that it runs, and its name, count.
	_ = json.Unmarshal(data, &r)
	return r, true, err
}

// Wait waits until none of the runs that match is left, or ctx ends, and returns
// those that are.
func (f *Folder) Wait(ctx context.Context, matches func(Running) bool) ([]Running, error) {
	for {
		all, err := f.Running()
		if err != nil {
			return nil, err
		}
		left := all[:0]
		for _, r := range all {
			if matches(r) {
				left = append(left, r)
			}
		}
		if len(left) == 0 || ctx.Err() != nil {
			return left, nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
}
