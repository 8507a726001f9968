package config

import (
	"time"
)

// Config is everything that an owner can set. Paths are absolute once loaded.
type Config struct {
	// State is the state folder: log, keys, images. PALISADE_HOME and --home
	// set it too. Default: /var/lib/palisade for root, else
	// $XDG_STATE_HOME/palisade, else ~/.local/state/palisade.
	State string `key:"state"`
	// Policy are policy files, in the order in which they build on each other.
	Policy []string `key:"policy"`
	// DefaultProfile is the profile of submissions that name none. Default:
	// what the policy files say, else data.
	DefaultProfile string `key:"default_profile"`

	Callers   Callers   `key:"callers"`
	Audit     Audit     `key:"audit"`
	Approvals Approvals `key:"approvals"`
	Runtime   Runtime   `key:"runtime"`
	Sandbox   Sandbox   `key:"sandbox"`
	Log       Log       `key:"log"`

	// Files are the configuration files that were read, in their order.
	Files []string

	origins map[string]string
	home    string // the state folder that a flag or the environment named
	cache   string // where what can be made again goes
	pinned  bool   // the machine's file names the approvers
}

// Callers says who may name which profile; "*" stands for every one. The
// owner's command line may name any, everyone may leave it out.
type Callers struct {
	// Doors maps a door, such as go, to the profiles that may be named through it.
	Doors map[string][]string `key:"doors"`
	// Submitters maps an identity, such as uid:1001, to the profiles that it
	// may name; its line stands instead of the door's.
	Submitters map[string][]string `key:"submitters"`
}

// Audit says where the record is.
type Audit struct {
	// Folder holds the log. Default: audit in the state folder.
	Folder string `key:"folder"`
	// Key is the log's private key. Default: keys/audit.key in the state
	// folder. Better: a place that the log's disk is not.
	Key string `key:"key"`
	// PublicKey is where the public key is put. Default: audit.pub beside Key.
	PublicKey string `key:"public_key"`
	// Name is the log's name in signed heads. Logs that share a mirror need
	// names of their own. Default: palisade.local/audit.
	Name string `key:"name"`
	// Mirrors get a copy of the signed head after each run.
	Mirrors []Mirror `key:"mirrors"`
}

// Mirror is a second place for signed heads. Kind says which of the fields
// counts.
type Mirror struct {
	// Kind is folder, syslog or command.
	Kind string
	// Folder is a folder, best on another machine's disk.
	Folder string
	// Socket is syslog's socket. Default: /dev/log.
	Socket string
	// Command is a program with its arguments; it gets the head on its
	// standard input. The program is an absolute path.
	Command []string
	// Timeout bounds a command. Default: 10 s.
	Timeout time.Duration
}

// Approvals says who answers questions.
type Approvals struct {
	// Self lets submitters approve their own questions. Only a file that
	// nobody but root can write may set it. Default: false.
	Self bool `key:"self"`
	// Expiry is how long a question waits and an answer can be used, up to a
	// week. Default: 1h.
	Expiry time.Duration `key:"expiry"`
	// Approvers are the identities that may answer. Default: anyone but the
	// submitter. Where the machine's file names them, nothing else can.
	Approvers []string `key:"approvers"`
}

// Runtime says what programs run on.
type Runtime struct {
	// Python is the interpreter; it is never looked up in PATH. Default:
	// /usr/bin/python3.
	Python string `key:"python"`
}

// Sandbox says where sandboxes keep what they need.
type Sandbox struct {
	// State holds what boxes need while they live, best on a tmpfs. Default:
	// the back-end's choice.
	State string `key:"state"`
	// Images holds the boxes' roots, some hundred megabytes that can be made
	// again at any time. Default: /var/cache/palisade/images for root, else
	// palisade/images under $XDG_CACHE_HOME or ~/.cache.
	Images string `key:"images"`
}

// Log is for operators; it never holds prompts, code or output.
type Log struct {
	// Level is debug, info, warn or error. Default: warn.
	Level string `key:"level"`
	// Format is text or json. Default: text.
	Format string `key:"format"`
}
