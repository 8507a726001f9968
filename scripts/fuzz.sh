#!/bin/sh
# Run every fuzz target of the module for the given time each.
set -eu
time="${1:-20s}"
go list ./... | while read -r pkg; do
	go test -list '^Fuzz' "$pkg" | grep '^Fuzz' | while read -r target; do
		echo "== $pkg $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$pkg"
	done
done
