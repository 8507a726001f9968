package local

import (
	"errors"
	"testing"
)

func TestIdentify(t *testing.T) {
	alien := errors.New("a user namespace")
	for _, c := range []struct {
		uid   int
		sudo  string
		login int
		alien error
		want  string
	}{
		{0, "0", 0, alien, "unvouched:uid:0"},
		{1000, "", 1000, alien, "unvouched:uid:1000"},
		{0, "", 0, nil, "uid:0"},
		{0, "1000", 0, nil, "uid:1000"},
		{0, "1000", 1000, nil, "uid:1000"},
		{0, "", 1000, nil, "uid:1000"},     // sudo -i, su: the variable is gone
		{0, "1001", 1000, nil, "uid:1000"}, // sudo env SUDO_UID=1001
		{0, "x", 0, nil, "uid:0"},
		{0, "-1", 0, nil, "uid:0"},
		{1000, "1001", 1001, nil, "uid:1000"},
	} {
		if got := identify(c.uid, c.sudo, c.login, c.alien); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
