package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Role is what a caller may do within a tenant.
type Role string

// The roles; see the package's comment.
const (
	Submitter Role = "submitter"
	Approver  Role = "approver"
	Auditor   Role = "auditor"
	Admin     Role = "admin"
)

// Roles are all roles, in the order in which they are told.
func Roles() []Role { return []Role{Submitter, Approver, Auditor, Admin} }

// Tenants with a meaning.
const (
	// System is the operator's tenant.
	System = "system"
	// Default is the tenant of whoever names none.
	Default = "default"
	// Any asks about every tenant at once.
	Any = "*"
)

// AnyProfile in a list of profiles stands for all of them.
const AnyProfile = "*"

// Errors on which a door branches.
var (
	// ErrUnauthenticated: nobody knows who asks. What exactly was wrong is for
	// operators: see Reason.
	ErrUnauthenticated = errors.New("a valid key or session is required")
	// ErrForbidden: the caller's roles do not allow this.
	ErrForbidden = errors.New("the caller's roles do not allow this")
	// ErrUnknownKey: there is no such key in the caller's reach.
	ErrUnknownKey = errors.New("no such key")
	// ErrOutdated: a token that was replaced asks for what only the newest may.
	ErrOutdated = errors.New("this token was replaced by a rotation and is only good for the rest of its grace: only the key's newest token rotates it, or an admin of its tenant with a key of their own")
	// ErrInvalid: a value is not of the form that it has to be.
	ErrInvalid = errors.New("invalid")
)

// Denied is an ErrUnauthenticated with its reason, which only operators see.
type Denied struct {
	Reason string
	// Told is what whoever asked may know of it: they had the key's own secret.
	// Empty for everybody else.
	Told string
}

func (e *Denied) Error() string { return ErrUnauthenticated.Error() }
func (e *Denied) Unwrap() error { return ErrUnauthenticated }

// Caller is who asks, once authenticated. The zero value may nothing.
type Caller struct {
	Tenant string `json:"tenant"`
	// Name is the caller's identity, such as user:ann or key:4tH0…: submitters
	// and approvers are told apart by it.
	Name     string   `json:"identity"`
	Owner    string   `json:"owner,omitempty"` // the human or service behind it, where known
	Roles    []Role   `json:"roles"`
	Profiles []string `json:"profiles"`      // that the caller may name; AnyProfile: all
	Key      string   `json:"key,omitempty"` // the key's ID; empty: a session, or the operator's own shell
	// Expires is when the key or session ends; zero: never.
	Expires time.Time `json:"expires,omitzero"`

	hash string // of the secret that the caller came with; empty without a key
}

// Operator is whoever runs commands on the gate's own machine: they can read the
// log's key anyway. name is their identity, such as uid:0.
func Operator(name string) Caller {
	return Caller{Tenant: System, Name: name, Roles: Roles(), Profiles: []string{AnyProfile}}
}

// TenantName is the caller's tenant.
func (c Caller) TenantName() string { return c.Tenant }

// Identity is who it is.
func (c Caller) Identity() string { return c.Name }

// Holds reports whether the caller has a role in a tenant, or with Any in every
// one.
func (c Caller) Holds(role, tenant string) bool {
	if c.Tenant == "" || tenant == "" || !slices.Contains(c.Roles, Role(role)) {
		return false
	}
	return c.Tenant == tenant || c.Tenant == System && Role(role) != Submitter
}

// MayName reports whether the caller may name a profile of policy.
func (c Caller) MayName(profile string) bool {
	return slices.Contains(c.Profiles, AnyProfile) || slices.Contains(c.Profiles, profile)
}

// Marks that begin identities: of someone with a name, of a key without.
const (
	ownerMark = "user:"
	keyMark   = "key:"
)

// Forms of names, without regular expressions: bounded repetitions of classes of
// letters take megabytes and milliseconds, at each start of each sandbox.
func form(text string, most int, first, rest func(r rune) bool) bool {
	if text == "" || len(text) > 4*most {
		return false
	}
	n := 0
	for i, r := range text {
		if n++; n > most || r == utf8.RuneError || i == 0 && !first(r) || !rest(r) {
			return false
		}
	}
	return true
}

func lower(r rune) bool        { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }
func alphanumeric(r rune) bool { return lower(r) || r >= 'A' && r <= 'Z' }

func alphanumericOr(others string) func(rune) bool {
	return func(r rune) bool { return alphanumeric(r) || strings.ContainsRune(others, r) }
}

func validTenant(name string) bool {
	return form(name, 63, lower, func(r rune) bool { return lower(r) || r == '-' })
}

func validOwner(name string) bool {
	return form(name, 128, alphanumeric, alphanumericOr("._@+|:/=-"))
}

func validProfile(name string) bool {
	return name == AnyProfile || form(name, 64, alphanumeric, alphanumericOr("._-"))
}

// validLabel takes what can be printed on one line.
func validLabel(text string) bool {
	return form(text, 100, func(r rune) bool { return r != ' ' && unicode.IsPrint(r) }, unicode.IsPrint)
}

// ValidTenant reports an error unless name may name a tenant.
func ValidTenant(name string) error {
	if !validTenant(name) {
		return fmt.Errorf("%w: tenant %.80q: want 1 to 63 of a-z, 0-9 and -, not beginning with -", ErrInvalid, name)
	}
	return nil
}

// ParseRoles reads roles by name; there must be one.
func ParseRoles(names []string) ([]Role, error) {
	var out []Role
	for _, name := range names {
		if !slices.Contains(Roles(), Role(name)) {
			return nil, fmt.Errorf("%w: role %.40q: want %s", ErrInvalid, name, roleNames())
		}
		if !slices.Contains(out, Role(name)) {
			out = append(out, Role(name))
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: no role: want some of %s", ErrInvalid, roleNames())
	}
	return out, nil
}

func roleNames() string {
	var names []string
	for _, r := range Roles() {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}
