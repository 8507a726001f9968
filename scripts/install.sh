#!/bin/sh
# Put the binary, its completions and its man page under $DESTDIR$PREFIX.
set -eu
root="${DESTDIR:-}${PREFIX:-/usr/local}"
install -D -m 0755 palisade "$root/bin/palisade"
for shell in bash zsh fish; do
	case $shell in
	bash) to="$root/share/bash-completion/completions/palisade" ;;
	zsh) to="$root/share/zsh/site-functions/_palisade" ;;
	fish) to="$root/share/fish/vendor_completions.d/palisade.fish" ;;
	esac
	mkdir -p "$(dirname "$to")"
	./palisade completion $shell >"$to"
	chmod 0644 "$to"
done
mkdir -p "$root/share/man/man1"
./palisade man >"$root/share/man/man1/palisade.1"
echo "installed under $root: bin/palisade, completions for bash, zsh and fish, man page palisade(1)"
