package gvisor

import "context"

// layers says what is in force, as the host observes it.
func (b *box) layers(context.Context) (map[string]string, error) {
	return map[string]string{"kernel": "gvisor-systrap"}, nil
}
