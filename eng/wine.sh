#!/usr/bin/env bash
# Runs what is built for Windows under Wine. Needs what eng/requirements.list names, and the build of ./test --all.
#   eng/wine.sh            the commands: copies, reads, writes and measures there, and moves a file by each protocol between Windows
#                          and this system
#   eng/wine.sh Millrace.Tests   that project's tests; ends with "Failed: N, Passed: N, Skipped: N"
set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. eng/sdk.sh
require_sdk || exit 1

windows=$PWD/artifacts/wine
here=src/Millrace.Cli/bin/Release/net10.0/Millrace.Cli.dll
# Built beside the checkout's own bin and obj, which are for no system in particular: the commands where eng/publish.sh builds, whose
# libraries serve for Windows too; the tests' runner apart from it, because both may run at once.
publish() {
  "${compiling[@]}" dotnet publish "$1" -c Release -r win-x64 --self-contained -o "$windows/$2" --artifacts-path "$3" \
    -p:LockFolder="$windows/locks" -p:RestoreLockedMode=false -p:ContinuousIntegrationBuild=true -p:RunAnalyzers=false -p:UseSharedCompilation=true -v quiet --nologo ||
    exit 1
}
mkdir -p "$windows/locks"
if [ $# -eq 0 ]; then
  publish src/Millrace.Cli cli artifacts/publish
  publish src/Millrace.Lab.Cli lab artifacts/publish
else
  publish tests/Millrace.Testing.Runner tests "$windows/build"
  cp tests/"$1"/bin/Release/net10.0/Millrace.*.{dll,runtimeconfig.json} "$windows/tests/" &&
    find tests/"$1"/bin/Release/net10.0 -maxdepth 1 \( -name '*.dll' -o -name '*.xml' \) -exec cp -n -t "$windows/tests/" {} + || exit 1
fi

# A write barrier of .NET needs memory that Wine does not give; its collector in the background waits for ever now and then; Wine drops
# what a thread that ends is still receiving; a crash must not wait for a debugger.
export WINEPREFIX=$windows/prefix WINEARCH=win64 WINEDEBUG=-all DOTNET_EnableWriteXorExecute=0 DOTNET_gcConcurrent=0 DOTNET_ThreadPool_ThreadsToKeepAlive=-1
if [ ! -e "$WINEPREFIX/system.reg" ]; then
  WINEDLLOVERRIDES="mscoree,mshtml=" timeout -s KILL 1200 wine wineboot -i && timeout -s KILL 1200 wine winecfg -v win10 || exit 1
fi
export WINEDLLOVERRIDES="winedbg.exe=d"
work=$(mktemp -d)
native=""
end() { wineserver -k; [ -z "$native" ] || kill "$native"; wait; rm -rf "$work"; }
trap end EXIT

# The processor time of a process, in hundredths of a second.
processor_ticks() {
  local fields
  fields=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) && set -- $fields && echo $((${12} + ${13})) || echo 0
}

# On one processor: Wine's NtFlushProcessWriteBuffers does nothing, and .NET counts on it between processors.
processor=$(taskset -cp $$ | grep -oE '[0-9]+$')
if [ $# -gt 0 ]; then
  cd "$windows/tests" && log=$work/tests.log || exit 1
  # Now and then all threads of a process wait for ever in Wine, in any test. That test then runs once more in another process.
  for _ in 1 2 3 4 5; do
    touch "$log"
    taskset -c "$processor" wine dotnet.exe "$1.dll" "Z:${log//\//\\}" >"$work/output" 2>&1 &
    process=$! hung=false since=$SECONDS used=0 lines=-1
    while kill -0 $process 2>/dev/null; do
      sleep 1
      if [ "$(wc -l <"$log")" -ne $lines ]; then
        lines=$(wc -l <"$log") since=$SECONDS used=$(processor_ticks $process)
      fi
      # A test that waits for ever uses no processor time, unlike one that is slow there; and none takes ten minutes.
      waited=$((SECONDS - since))
      if [ $waited -gt 600 ] || { [ $waited -gt 150 ] && [ $(($(processor_ticks $process) - used)) -lt 1000 ]; }; then
        hung=true
        echo "hung: $(tail -n 1 "$log")"
        kill -KILL $process
        wineserver -k
        echo HUNG >>"$log"
      fi
    done
    wait $process 2>/dev/null
    status=$?
    $hung || break
  done
  grep -A 80 '^FAIL' "$log" || [ $status -eq 0 ] || { tail -n 20 "$work/output"; echo "wine: ended with status $status in: $(tail -n 1 "$log")"; }
  tail -n 1 "$log"
  exit $status
fi
millrace_there() { timeout -s KILL 300 taskset -c "$processor" wine "$windows/cli/Millrace.Cli.exe" "$@"; }
millrace_here() { timeout -s KILL 300 dotnet "$here" "$@"; }
fail() { echo "wine: $*" >&2; exit 1; }

cd "$work" && here=$OLDPWD/$here || exit 1
seq 1 300000 >a.txt && echo old >b.txt && mkdir served
millrace_there copy a.txt b.txt && cmp a.txt b.txt || fail "a copy over a file differs"
millrace_there scan NUL | grep -q '^0 NUL' || fail "NUL was not read as an empty file"
refusal=$(millrace_there copy a.txt "$(printf 'x%.0s' {1..256})" 2>&1) && fail "a name of 256 characters was accepted"
grep -q 'the name is too long' <<<"$refusal" || fail "a name of 256 characters: $refusal"

millrace_there serve served --port 0 --h2-port 0 >serve.log 2>&1 &
for _ in $(seq 1 1500); do
  url=$(grep -oE 'http://127\.0\.0\.1:[0-9]+/files/' serve.log | head -n 1) && break
  sleep 0.2
done
[ -n "${url:-}" ] || { cat serve.log; fail "the server did not start"; }
for protocol in http1 http2 tus grpc grpc-web grpc-web-text; do
  millrace_here put --via "$protocol" a.txt "$url$protocol.txt" && cmp a.txt "served/$protocol.txt" || fail "put by $protocol"
  if [ "$protocol" != tus ]; then
    millrace_there get --via "$protocol" "$url$protocol.txt" "$protocol.txt" && cmp a.txt "$protocol.txt" || fail "get by $protocol"
  fi
done
millrace_there put - "${url}standard.txt" <a.txt && cmp a.txt served/standard.txt || fail "put of standard input"

# Names that Windows cannot have, from a server that has them.
mkdir -p hostile/sub 'hostile/12:30'
for name in 'a:b.png' aux.c 'What?.mp3' 'dot.' 'back\slash' $'esc\e[2J' '12:30/x' ok sub/fine; do echo "$name" >"hostile/$name"; done
dotnet "$here" serve hostile --port 0 --h2-port 0 >hostile.log 2>&1 &
native=$!
for _ in $(seq 1 1500); do
  hostile=$(grep -oE 'http://127\.0\.0\.1:[0-9]+/files/' hostile.log | head -n 1) && break
  sleep 0.2
done
[ -n "${hostile:-}" ] || { cat hostile.log; fail "the server of hostile names did not start"; }
millrace_there get "$hostile" got >got.log 2>&1
[ $? -eq 4 ] || { cat got.log; fail "get of names that Windows cannot have did not exit with 4"; }
[ "$(find got -type f | sort | tr '\n' ' ')" = "got/ok got/sub/fine " ] && cmp hostile/sub/fine got/sub/fine || { find got; fail "get of names that Windows cannot have"; }
grep -q '7 left out: 7 with names that Windows cannot have' got.log || { cat got.log; fail "get did not count what it left out"; }

timeout -s KILL 300 taskset -c "$processor" wine "$windows/lab/Millrace.Lab.Cli.exe" files --quick --launches 1 --filter 'FilePipe/4MiB/4096/*' \
  --filter 'OverlappedPipe/128MiB/65536/*' --out measured >lab.log 2>&1 && grep -q '"method": *"OverlappedPipe"' measured/results.json || { tail -n 20 lab.log; fail "lab files"; }
