package egress

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"strings"
)

// resolvConf names this host's name servers: resolv.conf(5).
const resolvConf = "/etc/resolv.conf"

// maxServers is how many of them count, as in the C library.
const maxServers = 3

// nameServers returns this host's name servers, as host:port. They are read for
// each run, since they change with the network.
func nameServers() ([]string, error) {
	f, err := os.Open(resolvConf)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("name servers: %w", err)
	}
	defer f.Close()
	var servers []string
	lines := bufio.NewScanner(io.LimitReader(f, 64<<10))
	for lines.Scan() && len(servers) < maxServers {
		words := strings.Fields(lines.Text())
		if len(words) < 2 || words[0] != "nameserver" {
			continue
		}
		if addr, err := netip.ParseAddr(words[1]); err == nil {
			servers = append(servers, net.JoinHostPort(addr.String(), "53"))
		}
	}
	return servers, nil
}
