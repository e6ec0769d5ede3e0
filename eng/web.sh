#!/usr/bin/env bash
# The page of report.html: eng/web.sh build makes the committed file anew, eng/web.sh check says whether it is what web/
# builds. Only who works on web/ needs Node; ./millrace uses the committed file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

built=web/dist/index.html
committed=src/Millrace.Lab/Reporting/Web/report.html

build() {
  # The lock file says exactly which packages; nothing of theirs is run at installation.
  npm ci --prefix web --ignore-scripts --no-audit --no-fund
  npm run --prefix web check
  npm run --prefix web build
}

case "${1:-}" in
  build)
    build
    cp "$built" "$committed"
    ;;
  check)
    build
    if ! cmp "$built" "$committed"; then
      echo "$committed is not what web/ builds. Run eng/web.sh build, look at a report, and commit the file." >&2
      exit 1
    fi
    ;;
  *)
    echo "eng/web.sh build | check" >&2
    exit 1
    ;;
esac
