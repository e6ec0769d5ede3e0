#!/usr/bin/env bash
# Makes a release in artifacts/release: the packages and tools, a self-contained single file of the command for each system, the
# Debian package, an SBOM for each, and SHA256SUMS. The version is that of the git tag (MinVer).
#
#   eng/publish.sh [--require-all] [--native] [RID…]
#
#   --require-all   fail when the runtime of a system cannot be restored, instead of leaving the system out
#   --native        also the command by Native AOT, for this machine's system
#   RID…            only these systems, of: linux-x64 linux-arm64 linux-musl-x64 linux-musl-arm64 osx-x64 osx-arm64 win-x64 win-arm64
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. eng/sdk.sh
require_sdk || exit 1

require_all=false native=false systems=()
for argument; do
  case "$argument" in
    --require-all) require_all=true ;;
    --native) native=true ;;
    linux-x64|linux-arm64|linux-musl-x64|linux-musl-arm64|osx-x64|osx-arm64|win-x64|win-arm64) systems+=("$argument") ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 1 ;;
  esac
done
[ ${#systems[@]} -gt 0 ] ||
  systems=(linux-x64 linux-arm64 linux-musl-x64 linux-musl-arm64 osx-x64 osx-arm64 win-x64 win-arm64)

# Built beside the checkout's own bin and obj, which tests and ./millrace may be using.
work=$PWD/artifacts/publish out=$PWD/artifacts/release log=$PWD/artifacts/publish/log
rm -rf "$out" "$work"/single
mkdir -p "$out" "$work/locks"

# A project's packages for one system are not in its lock file; eng/sbom.py compares them with it afterwards.
common=(-c Release --artifacts-path "$work" -v quiet --nologo -p:ContinuousIntegrationBuild=true -p:RunAnalyzers=false
  -p:UseSharedCompilation=true)
single=(-p:RestoreLockedMode=false -p:LockFolder="$work/locks")

fail() { echo "eng/publish.sh: $*" >&2; exit 1; }

logged() { "$@" >"$log" 2>&1 || { cat "$log" >&2; fail "$1 $2 failed."; }; }

# The projects below src/, without the tests and samples of the solution.
release_filter() {
  python3 - "$work" src/*/*.csproj <<'PYTHON'
import json, os, sys
folder, *projects = sys.argv[1:]
with open(f"{folder}/Release.slnf", "w") as file:
    json.dump({"solution": {"path": os.path.relpath("Millrace.slnx", folder), "projects": projects}}, file)
PYTHON
}

pack() {
  # Package validation compares with the last release, once there is one.
  local previous
  previous=$(git describe --tags --abbrev=0 --match 'v[0-9]*' HEAD^ 2>/dev/null || true)
  release_filter
  logged dotnet pack "$work/Release.slnf" "${common[@]}" -p:PackageOutputPath="$out" -p:RestoreLockedMode=true \
    ${previous:+-p:PackageValidationBaselineVersion="${previous#v}"}
  version=$(basename "$out"/Millrace.Lab.Cli.*.nupkg .nupkg)
  version=${version#Millrace.Lab.Cli.}
  [[ $version == *-* ]] || grep -q "^## $version - " CHANGELOG.md || fail "CHANGELOG.md has no section '## $version - DATE'."
  local tool
  for tool in $(grep -l eng/Tool.props src/*/*.csproj); do
    tool=$(basename "$tool" .csproj)
    bill "$tool" "$tool.$version"
  done
}

# bill PROJECT NAME [RID]: the SBOM of what the project's last restore is the base of.
bill() {
  python3 eng/sbom.py "$work/obj/$1/project.assets.json" "src/$1/packages.lock.json" "$2" "$version" ${3:+"$3"} >"$out/$2.cdx.json"
}

# publish_single RID NAME OPTION…: publishes one file for a system; false when its runtime cannot be restored.
publish_single() {
  local system=$1 folder=$work/single/$2 name=millrace-$version-$2
  shift 2
  if ! dotnet restore src/Millrace.Cli -r "$system" --artifacts-path "$work" "${single[@]}" "$@" >"$log" 2>&1; then
    grep -qE 'NU110[123]' "$log" || { cat "$log" >&2; fail "the restore for $system failed."; }
    return 1
  fi
  logged dotnet publish src/Millrace.Cli -r "$system" "${common[@]}" --no-restore "${single[@]}" "$@" -warnaserror -o "$folder"
  rm -f "$folder"/*.dbg "$folder"/*.pdb
  mv "$folder/Millrace.Cli.exe" "$folder/millrace.exe" 2>/dev/null || mv "$folder/Millrace.Cli" "$folder/millrace"
  cp LICENSE THIRD-PARTY-NOTICES.txt README.md CHANGELOG.md "$folder"
  bill Millrace.Cli "$name" "$system"
  find "$folder" -exec touch -d "@$(git log -1 --format=%ct)" {} +
  case "$system" in
    win-*) (cd "$folder" && python3 -m zipfile -c "$out/$name.zip" ./*) ;;
    *) tar -C "$folder" --sort=name --owner=0 --group=0 --numeric-owner -c . | gzip -n >"$out/$name.tar.gz" ;;
  esac
}

left_out() {
  ! $require_all || fail "the runtime for $1 could not be restored."
  echo "$1: left out, because its runtime pack cannot be restored here; the release workflow builds it."
}

pack
for system in "${systems[@]}"; do
  if publish_single "$system" "$system" -p:SingleFile=true; then
    echo "$system: millrace-$version-$system"
  else
    left_out "$system"
  fi
done
if $native; then
  system=$(dotnet msbuild src/Millrace.Cli -getProperty:NETCoreSdkRuntimeIdentifier)
  linker=clang
  command -v clang >/dev/null 2>&1 || linker=gcc
  if publish_single "$system" "$system-native" -p:NativeAot=true -p:CppCompilerAndLinker="$linker"; then
    echo "$system: millrace-$version-$system-native"
  else
    left_out "$system-native"
  fi
fi
if [ -e "$work/single/linux-x64/millrace" ]; then
  if [ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ]; then
    eng/deb.sh "$work/single/linux-x64/millrace" "$version" "$out"
  else
    echo "The Debian package is left out: it is made on Debian or Ubuntu for amd64."
  fi
fi
(cd "$out" && sha256sum -- * >SHA256SUMS)
echo "The release $version is in artifacts/release."
