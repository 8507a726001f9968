#!/bin/sh
# Install what the demo (the default) or the tests (deps.sh test) need on Debian
# or Ubuntu, and nothing else.
set -eu
packages="python3 python3-numpy python3-pandas"
if [ "${1:-demo}" = test ]; then
	packages="$packages python3-matplotlib bash curl jq"
	# The server itself: the tests start their own, and need none that runs.
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || packages="$packages postgresql"
	# Any Node.js will do, also one that is not Debian's.
	[ -x /usr/bin/node ] || [ -x /usr/local/bin/node ] || packages="$packages nodejs"
	# E2B's client is run against a real server.
	command -v npm >/dev/null || packages="$packages npm"
	ls /usr/lib/python3.*/test/test_grammar.py >/dev/null 2>&1 || suite=yes
fi
missing=""
for p in $packages; do
	dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
[ -z "$missing${suite:-}" ] && exit 0
if ! command -v apt-get >/dev/null; then
	echo "Palisade's demo and tests need:$missing ${suite:+and the interpreter's own test suite}" >&2
	echo "This is not a Debian or Ubuntu machine: install them by its own means." >&2
	exit 1
fi
run=""
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "Missing:$missing ${suite:+libpython3-testsuite}. Ask root to install them with apt-get; nothing else here needs root." >&2
		exit 1
	fi
	echo "Installing Debian packages needs root; nothing else here does. sudo may ask for your password."
	run="sudo"
fi
$run apt-get update -qq
if [ -n "${suite:-}" ]; then
	# The suite's package is named after the version where there is no general one.
	general=$(apt-cache search --names-only '^libpython3-testsuite$')
	missing="$missing ${general:+libpython3-testsuite}"
	if [ -z "$general" ]; then
		version=$(apt-cache depends python3 | sed -n 's/.*Depends: python\(3\.[0-9]*\)$/\1/p' | head -n 1)
		missing="$missing libpython$version-testsuite"
	fi
fi
echo "Installing with apt-get:$missing"
# shellcheck disable=SC2086 # a list of names
DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq --no-install-recommends $missing >/dev/null
