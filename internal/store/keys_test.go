package store

import (
	"errors"
	"strings"
	"testing"
)

// TestUnknownKeyTakesAsLong: a key that is not there is looked up in as many steps as
// one that is, so that time does not tell which there are.
func TestUnknownKeyTakesAsLong(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		unknown := strings.Repeat("0", 12)
		if _, err := b.s.KeyByID(t.Context(), unknown); !errors.Is(err, ErrNotFound) {
			t.Fatalf("%v", err)
		}
		// Without the table of secrets, it shows whether they are asked for.
		if _, err := b.s.db.ExecContext(t.Context(), "DROP TABLE key_secrets"); err != nil {
			t.Fatal(err)
		}
		if _, err := b.s.KeyByID(t.Context(), unknown); err == nil || errors.Is(err, ErrNotFound) {
			t.Errorf("the secrets of a key that is not there were not looked up: %v", err)
		}
	})
}
