#!/usr/bin/env bash
# Measures how much memory `millrace serve` takes at most (VmHWM) with many transfers at once of a 100 MB file.
# Usage: eng/serve-memory.sh [COUNT] [MEGABYTES] [BYTES A SECOND OF EACH, as curl has it]
# It needs COUNT × MEGABYTES of free disk for the uploads. Everything it makes is removed again.
set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

count=${1:-200} megabytes=${2:-100} rate=${3:-4M}
command=${MILLRACE:-src/Millrace.Cli/bin/Release/net10.0/Millrace.Cli.dll}
folder=$(mktemp -d "${TMPDIR:-/tmp}/millrace-memory-XXXXXX") server=""

finish() {
  [ -n "$server" ] && kill "$server" 2>/dev/null && wait "$server" 2>/dev/null
  rm -rf "$folder"
}
trap finish EXIT

start() {
  : >"$folder/ready"
  dotnet "$command" serve "$folder/files" --port 0 --h2-port none --json --grace 0 >"$folder/ready" 2>"$folder/log" &
  server=$!
  for _ in $(seq 300); do
    [ -s "$folder/ready" ] && break
    kill -0 "$server" 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
    sleep 0.1
  done
  address=$(sed -E 's/.*"address":"([^"]+)".*/\1/' "$folder/ready")
}

# Runs one curl for each transfer, waits for all, and prints what the server took.
measure() {
  local name=$1 failed=0 pids=()
  shift
  start
  local idle arguments=("${@//ADDRESS/$address}")
  idle=$(sed -n 's/^VmHWM:\s*\([0-9]*\).*/\1/p' "/proc/$server/status")
  for i in $(seq "$count"); do
    curl -sS -f --limit-rate "$rate" -o /dev/null "${arguments[@]//NUMBER/$i}" 2>>"$folder/errors" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || failed=$((failed + 1)); done
  local most
  most=$(sed -n 's/^VmHWM:\s*\([0-9]*\).*/\1/p' "/proc/$server/status")
  echo "$name: $count at once of $megabytes MB, $failed failed: VmHWM $((most / 1024)) MiB (started with $((idle / 1024)) MiB)"
  [ "$failed" -gt 0 ] && sort "$folder/errors" | uniq -c | head -5 && status=1
  [ "$most" -ge $((150 * 1000)) ] && status=1
  kill "$server" && wait "$server" 2>/dev/null
  server=""
}

status=0
mkdir "$folder/files"
head -c $((megabytes * 1000 * 1000)) /dev/urandom >"$folder/files/source.bin"
cp "$folder/files/source.bin" "$folder/upload.bin"
measure downloads "ADDRESS/files/source.bin"
measure uploads -T "$folder/upload.bin" "ADDRESS/files/up-NUMBER.bin"
exit $status
