#!/usr/bin/env bash
# The page of report.html. eng/web.sh build compiles web/ into the committed file; eng/web.sh check fails when the committed
# file is not what web/ builds. Only changes in web/ need Node; ./millrace uses the committed file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

built=web/dist/index.html
committed=src/Millrace.Lab/Reporting/Web/report.html

build() {
  # Exactly the packages of the lock file; their installation scripts do not run.
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
