#!/bin/sh
# Rename the module: scripts/rename.sh example.org/palisade
set -eu
new="${1:?usage: scripts/rename.sh NEW/MODULE/PATH}"
old=$(sed -n 's/^module //p' go.mod)
go mod edit -module "$new"
git ls-files '*.go' '*.md' | xargs sed -i "s#\"$old\"#\"$new\"#g; s#\"$old/#\"$new/#g; s#palisade@v0.0.0 -replace palisade=#$new@v0.0.0 -replace $new=#"
(cd tools && go mod edit -module "$new/tools")
gofmt -l -w .
go build ./...
