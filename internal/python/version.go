package python

import "fmt"

// Version is a version of the Python language. The zero Version stands for
// DefaultVersion.
type Version struct {
	Major, Minor int
}

// Oldest and Newest bound the versions that Parse knows; DefaultVersion is that
// of Debian 12.
const (
	oldestMinor  = 8
	newestMinor  = 14
	defaultMinor = 11
)

// DefaultVersion is what the zero Version stands for.
func DefaultVersion() Version { return Version{3, defaultMinor} }

// String is the version as in "3.11".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// minor returns the minor version to parse for.
func (v Version) minor() (int, error) {
	if v == (Version{}) {
		return defaultMinor, nil
	}
	if v.Major != 3 || v.Minor < oldestMinor || v.Minor > newestMinor {
		return 0, fmt.Errorf("unsupported Python version %s: must be 3.%d to 3.%d", v, oldestMinor, newestMinor)
	}
	return v.Minor, nil
}
