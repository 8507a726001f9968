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
	Egress    Egress    `key:"egress"`
	Store     Store     `key:"store"`
	Auth      Auth      `key:"auth"`
	Serve     Serve     `key:"serve"`
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
	// Through the door api, unless a line says otherwise, every one: there each key
	// says which.
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
	// Webhook is told of each question.
	Webhook Webhook `key:"webhook"`
}

// Webhook says who is told of questions, over HTTP, in the form of Standard
// Webhooks. It is told who asks for what, nothing of the code or the prompt, and
// may come more than once for one question. Nothing that it answers decides
// anything.
type Webhook struct {
	// URL is https, or http to this machine. Default: nobody is told.
	URL string `key:"url"`
	// Key is a file with the key that signs, readable by its owner alone: 24 to
	// 64 bytes, or whsec_ and their base64. Required where url is set.
	Key string `key:"key"`
}

// Runtime says what programs run on.
type Runtime struct {
	// Python is the interpreter; it is never looked up in PATH. Default:
	// /usr/bin/python3.
	Python string `key:"python"`
	// Shell is what shell programs run on.
	Shell Shell `key:"shell"`
	// Node is what JavaScript and TypeScript run on.
	Node Node `key:"node"`
}

// Shell says what a box for shell programs is made of.
type Shell struct {
	// Path is bash. Default: /bin/bash.
	Path string `key:"path"`
	// Commands are the programs that a box holds, beside bash and Python's
	// standard library: names in /usr/bin, or absolute paths. What this machine
	// does not have is left out. Default: what POSIX and texts about the shell
	// use, none of which reaches a network.
	Commands []string `key:"commands"`
}

// Node says what a box for JavaScript is made of.
type Node struct {
	// Path is Node.js. Default: /usr/bin/node, else /usr/local/bin/node.
	Path string `key:"path"`
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
	// Pool bounds the boxes that are kept warm.
	Pool Pool `key:"pool"`
}

// Pool bounds the boxes that a program which runs many keeps warm. Zero is the
// default.
type Pool struct {
	// Off has every box made for its run. Default: false.
	Off bool `key:"off"`
	// Size is how many boxes of one kind are kept ready, up to 1024. Default:
	// the number of processors, at least 2 and at most 32.
	Size int `key:"size"`
	// Making is how many are made at once, up to 1024, which bounds the
	// processors that making them takes. Default: the number of processors.
	Making int `key:"making"`
	// Memory bounds what all boxes that are kept ready hold. Default: 2GiB.
	Memory int64 `key:"memory"`
	// Uses and Age are after how many boxes, and how long, a template is made
	// anew, with another hash seed and another layout of memory. Default: 1000
	// and 1h; at most 100000 and a day.
	Uses int           `key:"uses"`
	Age  time.Duration `key:"age"`
	// Queue is how many runs may wait for a box, up to 100000; what is beyond, or
	// waits for more than 10 s, is refused as busy. Default: four for each box that
	// may be made at once.
	Queue int `key:"queue"`
}

// Egress says what the way out of boxes knows that boxes do not.
type Egress struct {
	// Secrets are credentials by the names that policy uses. A program gets a
	// placeholder; the proxy puts the value in its place, for the secret's own
	// host alone.
	Secrets map[string]Secret `key:"secrets"`
}

// Secret is one credential.
type Secret struct {
	// File holds the value, and nothing but an end of line behind it; nobody but
	// its owner may read it.
	File string
	// Host is the only peer that gets it: a host, with an optional port.
	Host string
	// Variable is the program's variable that holds the placeholder. Default:
	// the secret's name.
	Variable string
}

// Store says where the index of the record is, which doors ask. It can be made
// again from the record at any time.
type Store struct {
	// Database is the file of a SQLite database, in a folder that only its owner
	// can enter, or the URL of a PostgreSQL database, postgres://…; put its
	// password into a file that passfile= names. Default: index/index.db in the
	// state folder.
	Database string `key:"database"`
	// Retention is how long an idempotency key is remembered, up to 30 days.
	// Default: 24h.
	Retention time.Duration `key:"retention"`
}

// Auth says how people come in through doors that are not this machine's.
// Programs come with keys: see palisade keys.
type Auth struct {
	// OIDC is the organization's login. Default: none, only keys.
	OIDC OIDC `key:"oidc"`
}

// OIDC is an OpenID provider and what its claims mean here.
type OIDC struct {
	// Issuer is its URL: https, or the loopback. Empty: there is none.
	Issuer string
	// Client is the client's ID there.
	Client string
	// SecretFile holds the client's secret. Default: none, a public client.
	SecretFile string
	// Redirect is /auth/callback of this gate, as browsers reach it.
	Redirect string
	// Scopes are asked for beside openid.
	Scopes []string
	// Name is the claim that names a person. Default: sub.
	Name string
	// Session is how long a person stays logged in, up to a day. Default: 1h.
	Session time.Duration
	// Rules say who has which roles; who meets none is refused.
	Rules []OIDCRule
}

// OIDCRule gives roles to whoever has a claim with a value.
type OIDCRule struct {
	Claim    string // its name, or its path with dots
	Value    string // "*": any
	Tenant   string
	Roles    []string
	Profiles []string // that they may name
}

// Log is for operators; it never holds prompts, code or output.
type Log struct {
	// Level is debug, info, warn or error. Default: warn.
	Level string `key:"level"`
	// Format is text or json. Default: text.
	Format string `key:"format"`
}
