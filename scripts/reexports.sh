#!/bin/sh
# Regenerates the table of modules that other modules expose. It is made from
# the interpreter and the packages of this machine; its header names them.
set -eu
table=internal/analysis/py/reexports.txt
new=$(mktemp)
trap 'rm -f "$new"' EXIT
/usr/bin/python3 -I tools/reexports/reexports.py >"$new"
cat "$new" >"$table"
sed -n 2p "$table"
