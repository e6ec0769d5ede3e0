#!/usr/bin/env bash
# What is left in the page cache of a file that others use while a large one passes beside it, with and without --no-cache.
set -euo pipefail

usage() {
  cat <<'HELP'
eng/page-cache.sh [FOLDER]

  FOLDER   where the files are made and removed again: 17 GiB on a disk (default: the folder for temporary files)

  LARGE, HOT, MEMORY   sizes, in MiB, of the large file, of the file that others use, and of the memory (16384, 1024, 2048)
  MILLRACE             the command (default: ./millrace)

Needs root, for a memory control group. Each row: what was run, pages of the file of others that are left, and of the large file.
HELP
}

[[ "${1:-}" == --help ]] && { usage; exit 0; }
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
large=${LARGE:-16384} hot=${HOT:-1024} memory=${MEMORY:-2048} millrace=${MILLRACE:-$root/millrace}
folder="$(mktemp -d "${1:-${TMPDIR:-/tmp}}/millrace-page-cache-XXXXXX")"

# Version 2 of the control groups, or the memory controller of version 1.
if [[ -f /sys/fs/cgroup/cgroup.controllers ]]; then
  group=/sys/fs/cgroup/millrace-page-cache-$$ limit=memory.max
else
  group=/sys/fs/cgroup/memory/millrace-page-cache-$$ limit=memory.limit_in_bytes
fi

clean_up() {
  rm -rf "$folder"
  rmdir "$group" 2>/dev/null || true
}
trap clean_up EXIT

mkdir "$group"
echo $((memory * 1024 * 1024)) >"$group/$limit"
dd if=/dev/urandom of="$folder/hot" bs=1M count="$hot" status=none
dd if=/dev/zero of="$folder/large" bs=1M count="$large" status=none
sync "$folder/hot" "$folder/large"

# In the group, whose pages are those that its processes bring in.
limited() { bash -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' bash "$group" "$@"; }
evict() { dd if="$1" iflag=nocache count=0 status=none; }
left() { [[ -f "$1" ]] || { echo -; return; }; fincore --bytes --raw --noheadings --output RES,SIZE "$1" | awk '{ printf "%.2f%%", 100 * $1 / $2 }'; }

row() {
  local name=$1
  shift
  evict "$folder/hot"
  evict "$folder/large"
  limited cat "$folder/hot" >/dev/null
  local before started
  before="$(left "$folder/hot")"
  started=$EPOCHREALTIME
  limited "$@" >/dev/null
  printf '%-28s hot %8s -> %8s   large %8s   copy %8s   %6.1f s\n' \
    "$name" "$before" "$(left "$folder/hot")" "$(left "$folder/large")" "$(left "$folder/copy")" \
    "$(awk "BEGIN { print $EPOCHREALTIME - $started }")"
  rm -f "$folder/copy"
}

"$millrace" --version >/dev/null
row 'scan' "$millrace" scan --count bytes --quiet "$folder/large"
row 'scan --no-cache' "$millrace" scan --count bytes --quiet --no-cache "$folder/large"
MILLRACE_MISSING=RWF_DONTCACHE row 'scan --no-cache, older Linux' "$millrace" scan --count bytes --quiet --no-cache "$folder/large"
row 'copy' "$millrace" copy --quiet --no-reflink --durability none "$folder/large" "$folder/copy"
row 'copy --no-cache' "$millrace" copy --quiet --no-reflink --no-cache --durability none "$folder/large" "$folder/copy"
MILLRACE_MISSING=RWF_DONTCACHE row 'copy --no-cache, older Linux' "$millrace" copy --quiet --no-reflink --no-cache --durability none "$folder/large" "$folder/copy"
