#!/bin/sh
# Install what the demo and the tests need on Debian or Ubuntu, and nothing else.
set -eu
packages="python3 python3-numpy python3-pandas python3-matplotlib libpython3-testsuite"
missing=""
for p in $packages; do
	dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null; then
	echo "Palisade's demo and tests need:$missing" >&2
	echo "This is not a Debian or Ubuntu machine: install them by its own means." >&2
	exit 1
fi
echo "Installing with apt-get:$missing"
run=""
if [ "$(id -u)" -ne 0 ]; then
	echo "This needs root, to install Debian packages; nothing else here does. sudo may ask for your password."
	run="sudo"
fi
$run apt-get update -qq
DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq --no-install-recommends $missing >/dev/null
