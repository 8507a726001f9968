#!/bin/sh
# Regenerates the names of well-known packages out of the archive that this
# Debian machine has the index of; it needs the package dh-python.
set -eu
for ecosystem in python npm; do
	list=internal/analysis/lookalike/$ecosystem.txt
	new=$(mktemp)
	apt-cache dumpavail | /usr/bin/python3 tools/wellknown/wellknown.py "$ecosystem" >"$new"
	cat "$new" >"$list"
	rm -f "$new"
	sed -n 2p "$list"
done
