#!/usr/bin/env bash
# The pages: report.html's and the server's. eng/web.sh build compiles web/ into the committed files; eng/web.sh check fails when
# the committed files are not what web/ builds. Only changes in web/ need Node; ./millrace uses the committed files.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

report_built=web/dist/index.html
report=src/Millrace.Lab/Reporting/Web/report.html
page_built=web/dist/page
page=src/Millrace.Transfer.Server/Page/Assets

build() {
  # Exactly the packages of the lock file; their installation scripts do not run.
  npm ci --prefix web --ignore-scripts --no-audit --no-fund
  npm run --prefix web check
  npm run --prefix web build
}

case "${1:-}" in
  build)
    build
    cp "$report_built" "$report"
    rm -rf "$page"
    cp -r "$page_built" "$page"
    ;;
  check)
    build
    if ! cmp "$report_built" "$report" || ! diff -rq "$page_built" "$page"; then
      echo "The committed pages are not what web/ builds. Run eng/web.sh build, look at a report and at the server's page, and commit the files." >&2
      exit 1
    fi
    ;;
  *)
    echo "eng/web.sh build | check" >&2
    exit 1
    ;;
esac
