package gvisor

import (
	"fmt"
	"strconv"
	"strings"

	"gvisor.dev/gvisor/runsc/boot"
)

// fdList is a flag of descriptors: given again and again, or with commas.
type fdList []int

// String implements flag.Value.
func (l *fdList) String() string { return fmt.Sprint(*l) }

// Set implements flag.Value.
func (l *fdList) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		fd, err := strconv.Atoi(part)
		if err != nil {
			return err
		}
		*l = append(*l, fd)
	}
	return nil
}

// fdPairs is a flag of the sentry's descriptors and what they are in the guest:
// HOST:GUEST.
type fdPairs []boot.FDMapping

// String implements flag.Value.
func (p *fdPairs) String() string { return fmt.Sprint(*p) }

// Set implements flag.Value.
func (p *fdPairs) Set(text string) error {
	host, guest, _ := strings.Cut(text, ":")
	h, err := strconv.Atoi(host)
	if err != nil {
		return err
	}
	g, err := strconv.Atoi(guest)
	if err != nil {
		return err
	}
	*p = append(*p, boot.FDMapping{Host: h, Guest: g})
	return nil
}
