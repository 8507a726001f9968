package local

import (
	"cmp"
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"palisade"
	"palisade/internal/config"
	"palisade/internal/python"
)

// Config says where a gate keeps its state and who comes in. The zero value is
// safe: the usual places, the door "go", the process's own user.
type Config struct {
	// Home is the state folder. Empty: PALISADE_HOME, else /var/lib/palisade for
	// root, else palisade under XDG_STATE_HOME.
	Home string
	// ConfigFile is the configuration file. Empty: config.yaml in Home.
	ConfigFile string
	// Door names the way in; configuration says which profiles it may name.
	// Empty: "go".
	Door string
	// Submitter is who asks where a submission does not say, such as "uid:1000".
	// At the door "cli" it may name any profile. Empty: the process's user.
	Submitter string
	// Rules are files of pattern rules, or folders of them, beside those that
	// policy names. Only a Reader takes them: what decides about a run is policy's.
	Rules []string
	// Warm keeps boxes ready between runs, as configuration bounds it
	// (sandbox.pool): for a program that runs many.
	Warm bool
	// AtOnce is how many runs the program itself will have at once: so many wait
	// for a box as long as it takes, and none is refused as busy. 0: strangers
	// ask, and configuration bounds the queue.
	AtOnce int
	// Observe is told of each step of a run once it is on the record, and must be
	// quick. Nil: nobody is.
	Observe func(palisade.Event)
	// Logger gets what an operator should know; never prompts, code or output.
	// Nil: nothing is logged.
	Logger *slog.Logger
}

func (c Config) door() string { return cmp.Or(c.Door, "go") }

func (c Config) submitter() string {
	if c.Submitter != "" {
		return c.Submitter
	}
	return Caller()
}

func (c Config) logger() *slog.Logger {
	if c.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Logger
}

// Settings loads the configuration that c names.
func Settings(c Config) (*config.Config, error) { return config.Load(options(c)) }

// Stateless loads it for what needs no state: it does not have to say where that
// would be.
func Stateless(c Config) (*config.Config, error) {
	o := options(c)
	o.Stateless = true
	return config.Load(o)
}

func options(c Config) config.Options {
	return config.Options{Home: c.Home, File: c.ConfigFile, Environ: os.Environ(), UID: os.Geteuid()}
}

// alphabet is Crockford's base 32, lower case: no letter is taken for another.
var alphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewRunID returns an ID for a submission whose run must be named before it is
// handed to the gate.
func NewRunID() string { return newRunID() }

// newRunID returns an identifier that sorts by time: 48 bits of milliseconds
// and 72 of chance, as 24 letters and digits.
func newRunID() string {
	var id [15]byte
	binary.BigEndian.PutUint64(id[:8], uint64(time.Now().UnixMilli())<<16)
	fill(id[6:])
	return alphabet.EncodeToString(id[:])
}

// token returns n letters and digits that nobody can guess, five bits each.
func token(n int) string {
	random := make([]byte, (n*5+7)/8)
	fill(random)
	return alphabet.EncodeToString(random)[:n]
}

// fill never fails: crypto/rand ends the process rather than return bad bytes.
func fill(b []byte) { _, _ = rand.Read(b) }

// interpreterName is how distributions name an interpreter's real file.
var interpreterName = regexp.MustCompile(`^python3\.(\d+)$`)

// interpreterVersion tells a version from the interpreter's name alone, for
// reading without a sandbox. Unknown: the parser's default.
func interpreterVersion(path string) python.Version {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return python.Version{}
	}
	m := interpreterName.FindStringSubmatch(filepath.Base(real))
	if m == nil {
		return python.Version{}
	}
	minor, err := strconv.Atoi(strings.TrimLeft(m[1], "0"))
	if err != nil || minor < 8 || minor > 14 {
		return python.Version{}
	}
	return python.Version{Major: 3, Minor: minor}
}
