#!/usr/bin/env bash
# Runs the command for Windows under Wine: copies, reads and writes there, and moves a file by each protocol between Windows and this
# system. Needs what eng/requirements.list names, and the build of ./test.
set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. eng/sdk.sh
require_sdk || exit 1

windows=$PWD/artifacts/wine
here=src/Millrace.Cli/bin/Release/net10.0/Millrace.Cli.dll
# The tree's lock files and obj/ are for no system in particular.
dotnet publish src/Millrace.Cli -c Release -r win-x64 --self-contained -o "$windows/cli" -p:ArtifactsPath="$windows/build" \
  -p:NuGetLockFilePath=obj/win-x64.lock.json -p:RunAnalyzers=false -p:UseSharedCompilation=true -v quiet -nologo || exit 1

# A write barrier of .NET needs memory that Wine does not give; a crash must not wait for a debugger.
export WINEPREFIX=$windows/prefix WINEARCH=win64 WINEDEBUG=-all DOTNET_EnableWriteXorExecute=0
if [ ! -e "$WINEPREFIX/system.reg" ]; then
  WINEDLLOVERRIDES="mscoree,mshtml=" timeout -s KILL 300 wine wineboot -i && timeout -s KILL 120 wine winecfg -v win10 || exit 1
fi
export WINEDLLOVERRIDES="winedbg.exe=d"
work=$(mktemp -d)
end() { wineserver -k; wait; rm -rf "$work"; }
trap end EXIT

# On one processor: Wine's NtFlushProcessWriteBuffers does nothing, and .NET counts on it between processors.
processor=$(taskset -cp $$ | grep -oE '[0-9]+$')
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
for _ in $(seq 1 300); do
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
