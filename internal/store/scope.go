package store

import "strings"

// Names that hold everywhere.
const (
	// DefaultTenant is whose a run is that names none.
	DefaultTenant = "default"
	// AnyTenant asks a caller about every tenant at once.
	AnyTenant = "*"
)

// The roles by which the store answers. What they may do beyond reading is for
// whoever does it to check.
const (
	roleSubmitter = "submitter" // sees what they submitted
	roleApprover  = "approver"  // sees the tenant's questions and the runs that they are about
	roleAuditor   = "auditor"   // sees all of the tenant
	roleAdmin     = "admin"     // sees all of the tenant, and its keys
)

// Caller is who asks, as a door authenticated them.
type Caller interface {
	// TenantName is the tenant that the caller belongs to; never empty.
	TenantName() string
	// Identity is who it is, as runs name their submitter; never empty.
	Identity() string
	// Holds reports whether the caller has a role in a tenant, or with AnyTenant
	// in every one.
	Holds(role, tenant string) bool
}

// clause is a condition of a query with its arguments.
type clause struct {
	where []string
	args  []any
}

func (c *clause) and(condition string, args ...any) {
	c.where = append(c.where, "("+condition+")")
	c.args = append(c.args, args...)
}

// eq adds column = value, unless the value is empty: then all are wanted.
func (c *clause) eq(column, value string) {
	if value != "" {
		c.and(column+" = ?", word(value))
	}
}

func (c *clause) String() string {
	if len(c.where) == 0 {
		return "1 = 1"
	}
	return strings.Join(c.where, " AND ")
}

func holds(c Caller, tenant string, roles ...string) bool {
	for _, role := range roles {
		if c.Holds(role, tenant) {
			return true
		}
	}
	return false
}

// scope begins a query with what the caller may see of a table that has the
// columns tenant and submitter. wide are the roles that see all of the tenant;
// own is what others may see beside what they submitted.
func scope(c Caller, own string, wide ...string) (*clause, error) {
	if c == nil || c.TenantName() == "" || c.Identity() == "" {
		return nil, ErrNoCaller
	}
	tenant := c.TenantName()
	q := &clause{}
	switch {
	case holds(c, AnyTenant, wide...):
		return q, nil
	case holds(c, tenant, wide...):
		q.and("tenant = ?", word(tenant))
	case own != "" && c.Holds(roleApprover, AnyTenant):
		q.and("tenant = ? AND submitter = ? OR "+own, word(tenant), word(c.Identity()))
	case own != "" && c.Holds(roleApprover, tenant):
		q.and("tenant = ? AND (submitter = ? OR "+own+")", word(tenant), word(c.Identity()))
	case c.Holds(roleSubmitter, tenant):
		q.and("tenant = ? AND submitter = ?", word(tenant), word(c.Identity()))
	default:
		q.and("1 = 0")
	}
	return q, nil
}
