#!/bin/sh
# Wait until a file is there, for at most a minute.
set -eu
i=0
while [ ! -e "$1" ]; do
	i=$((i + 1))
	[ "$i" -le 600 ] || { echo "$1 did not appear" >&2; exit 1; }
	sleep 0.1
done
