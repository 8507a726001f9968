#!/bin/sh
# What action.yml does: build palisade, scan, write SARIF, and say on the step's
# log what was found. Its settings are variables; the exit code is the scan's.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
palisade=${PALISADE_BINARY:-}
if [ -z "$palisade" ]; then
	palisade=${RUNNER_TEMP:-/tmp}/palisade
	(cd "$here" && CGO_ENABLED=0 go build -trimpath -o "$palisade" ./cmd/palisade)
fi
set -f # paths are words, not patterns
# shellcheck disable=SC2086 # a list of words
set -- --fail-on "${PALISADE_FAIL_ON:-ask}" \
	${PALISADE_PROFILE:+--profile "$PALISADE_PROFILE"} ${PALISADE_CONFIG:+--config "$PALISADE_CONFIG"} \
	${PALISADE_DIFF:+--diff "$PALISADE_DIFF"} -- ${PALISADE_PATHS:-.}
# Names of files and what stands in them are no commands to the runner.
word=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$word"
code=0
"$palisade" scan --format sarif "$@" 2>&1 >"${PALISADE_SARIF:-palisade.sarif}" || code=$?
[ "$code" -eq 0 ] || "$palisade" scan "$@" 2>&1 || true
echo "::$word::"
exit "$code"
