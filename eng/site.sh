#!/usr/bin/env bash
# Makes the site of the documents and of the public members: artifacts/site/html. Fails if a link between documents leads nowhere.
# With --no-build, from the release build that is there.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. eng/sdk.sh
require_sdk
site=artifacts/site
source=$site/source
rm -rf "$site"
mkdir -p "$source/assemblies"
dotnet tool restore
[ "${1:-}" = --no-build ] || "${compiling[@]}" dotnet build src/Millrace.Cli -c Release -v q -p:UseSharedCompilation=true
cp src/Millrace.Cli/bin/Release/net10.0/{*.dll,Millrace*.xml} "$source/assemblies"

# The documents, and the files that they link to.
cp --parents ./*.md LICENSE Dockerfile compose.yaml .github/workflows/release.yml docs/*.md docs/*/*.md eng/{icon.svg,requirements.list} proto/*/*/*.proto \
  results/*/*/report.md samples/*.md samples/*/*.{cs,md,in} src/Millrace.Transfer.Server/Connections/BufferLimit.cs \
  tests/Millrace.Transfer.Tests/Deltas/vectors.txt "$source"
cp docs/docfx.json "$source"
cp README.md "$source/index.md"
cat >"$source/toc.yml" <<'TOC'
- { name: Documentation, href: docs/ }
- { name: API, href: api/ }
- { name: Changes, href: CHANGELOG.md }
TOC

# The bar at the side: the headings and pages of docs/README.md.
awk '
  BEGIN { print "- { name: Documentation, href: README.md }" }
  /^## / { print "- name: " substr($0, 4); print "  items:" }
  /^\|/ {
    for (text = $0; match(text, /\[[^]]+\]\([^)#]+\.md\)/); text = substr(text, RSTART + RLENGTH)) {
      split(substr(text, RSTART + 1, RLENGTH - 2), link, /\]\(/)
      sub(/^.*\//, "", link[1])
      sub(/\.md$/, "", link[1])
      print "  - { name: \"" link[1] "\", href: " link[2] " }"
    }
  }' docs/README.md >"$source/docs/toc.yml"
dotnet docfx "$source/docfx.json" --warningsAsErrors
