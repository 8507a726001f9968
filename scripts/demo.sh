#!/bin/sh
# A program runs, an attack is refused, the record verifies: with a state folder
# of its own, which is left for you to look at.
set -u
palisade=./palisade
export PALISADE_HOME="${PALISADE_DEMO_HOME:-$(mktemp -d "${TMPDIR:-/tmp}/palisade-demo.XXXXXX")}"
mkdir -p "$PALISADE_HOME/heads" # where copies of the log's signed heads go; on a real host: another disk or machine
cat >"$PALISADE_HOME/config.yaml" <<YAML
audit:
  mirrors:
    - kind: folder
      folder: $PALISADE_HOME/heads
YAML

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
show() { printf '$ %s\n' "$*"; "$@"; }
fail() { echo "demo: $*" >&2; exit 1; }

say "1. A program that a model wrote runs in a sandbox of its own."
show $palisade run --profile pal --entry solution examples/pal.py || fail "the program should have run"
[ "$($palisade run --quiet --profile pal --entry solution examples/pal.py)" = 8 ] || fail "the answer should be 8"

say "2. So does one that needs pandas, under the default profile."
show $palisade run examples/table.py || fail "the program should have run"

say "3. An attack is refused before it starts, however it is spelled."
show $palisade run examples/attack.py
[ $? -eq 3 ] || fail "the attack should have been denied"

say "4. Every step is on a record that cannot be changed unseen."
show $palisade audit ls || fail "the record should list the runs"
show $palisade audit verify || fail "the record should be intact"

say "Done. State: $PALISADE_HOME (rm -r it when you have seen enough)"
