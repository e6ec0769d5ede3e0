#!/usr/bin/env bash
# Makes a release in artifacts/release: the packages and tools, the command as one file for each system, the Debian package, an SBOM
# for each, and SHA256SUMS. The version is that of the git tag (MinVer). The file is machine code for this machine's system, and for
# linux-arm64 where its gcc is installed; for others it has the runtime in it, and their tool needs .NET.
#
#   eng/publish.sh [--require-all] [--compiled FOLDER] [RID…]
#
#   --require-all       fail where a system would be left out, or its file not be machine code
#   --compiled FOLDER   takes machine code that other machines compiled from FOLDER/RID: the program and the tool's package
#   RID…                only these systems, of: linux-x64 linux-arm64 linux-musl-x64 linux-musl-arm64 osx-x64 osx-arm64 win-x64 win-arm64
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. eng/sdk.sh
require_sdk || exit 1

require_all=false compiled="" systems=()
while [ $# -gt 0 ]; do
  case "$1" in
    --require-all) require_all=true ;;
    --compiled) compiled=${2:?--compiled needs a folder}; shift ;;
    linux-x64|linux-arm64|linux-musl-x64|linux-musl-arm64|osx-x64|osx-arm64|win-x64|win-arm64) systems+=("$1") ;;
    *) sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 1 ;;
  esac
  shift
done
[ ${#systems[@]} -gt 0 ] ||
  systems=(linux-x64 linux-arm64 linux-musl-x64 linux-musl-arm64 osx-x64 osx-arm64 win-x64 win-arm64)
machine=$(dotnet msbuild src/Millrace.Cli -getProperty:NETCoreSdkRuntimeIdentifier)

# Built beside the checkout's own bin and obj, which tests and ./millrace may be using.
work=$PWD/artifacts/publish out=$PWD/artifacts/release log=$PWD/artifacts/publish/log
rm -rf "$out" "$work"/command
mkdir -p "$out" "$work/locks"

# A project's packages for one system are not in its lock file; eng/sbom.py compares them with it afterwards.
common=(-c Release --artifacts-path "$work" -v quiet --nologo -p:ContinuousIntegrationBuild=true -p:RunAnalyzers=false
  -p:UseSharedCompilation=true)
single=(-p:RestoreLockedMode=false -p:LockFolder="$work/locks")
tools=-p:ToolSystems=$(printf '%s%%3B' "${systems[@]}")any

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
  logged dotnet pack "$work/Release.slnf" "${common[@]}" -p:PackageOutputPath="$out" -p:RestoreLockedMode=true "$tools" \
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
  python3 eng/sbom.py "$work/obj/$1/project.assets.json" "src/$1/packages.lock.json" "$2" "$version" ${3:+"$3"} >"$out/$2.cdx.json" ||
    fail "the SBOM of $2 failed."
}

# restored OPTION…: restores the command; false when a package that it needs is not served.
restored() {
  dotnet restore src/Millrace.Cli --artifacts-path "$work" "${single[@]}" "$@" >"$log" 2>&1 && return
  grep -qE 'NU110[123]' "$log" || { cat "$log" >&2; fail "the restore with $* failed."; }
  return 1
}

# find_linker RID: prints what links machine code for a system here; false when there is nothing that does.
find_linker() {
  case "$1" in
    "$machine") command -v clang || command -v gcc ;;
    linux-arm64) command -v aarch64-linux-gnu-gcc ;;
    *) false ;;
  esac
}

# compile RID: the command as machine code, with the tool's package; false where it cannot be.
compile() {
  local system=$1 folder=$work/command/$1 linker
  if [ -n "$compiled" ] && [ -d "$compiled/$system" ]; then
    restored -r "$system" -p:NativeAot=true || fail "what $system was compiled from cannot be restored."
    mkdir -p "$folder"
    cp "$compiled/$system"/*.nupkg "$out" && cp "$compiled/$system"/program/* "$folder" || fail "$compiled/$system is incomplete."
  else
    linker=$(find_linker "$system") && restored -r "$system" -p:NativeAot=true || return
    logged dotnet pack src/Millrace.Cli -r "$system" "${common[@]}" --no-restore "${single[@]}" "$tools" -p:NativeAot=true \
      -p:CppCompilerAndLinker="$(basename "$linker")" -warnaserror \
      -p:PublishDir="$folder/" -p:PackageOutputPath="$out"
  fi
  bill Millrace.Cli "Millrace.Cli.$system.$version" "$system"
}

# pack_managed RID: the tool's package for a system, or any, that has .NET.
pack_managed() {
  restored -r "$1" -p:UseAppHost=false || fail "the tool for $1 cannot be restored."
  logged dotnet pack src/Millrace.Cli -r "$1" "${common[@]}" --no-restore "${single[@]}" "$tools" -p:UseAppHost=false -p:SelfContained=false \
    -p:PackageOutputPath="$out"
  bill Millrace.Cli "Millrace.Cli.$1.$version" "$1"
}

# publish_single RID: one file with the runtime in it; false when that cannot be restored.
publish_single() {
  restored -r "$1" -p:SingleFile=true || return
  logged dotnet publish src/Millrace.Cli -r "$1" "${common[@]}" --no-restore "${single[@]}" -p:SingleFile=true -warnaserror -o "$work/command/$1"
}

# archive RID: the system's file with its documents.
archive() {
  local system=$1 folder=$work/command/$1 name=millrace-$version-$1
  mv "$folder/Millrace.Cli.exe" "$folder/millrace.exe" 2>/dev/null || mv "$folder/Millrace.Cli" "$folder/millrace"
  chmod +x "$folder"/millrace*
  cp LICENSE THIRD-PARTY-NOTICES.txt README.md CHANGELOG.md "$folder"
  bill Millrace.Cli "$name" "$system"
  find "$folder" -exec touch -d "@$(git log -1 --format=%ct)" {} +
  case "$system" in
    win-*) (cd "$folder" && python3 -m zipfile -c "$out/$name.zip" ./*) ;;
    *) tar -C "$folder" --sort=name --owner=0 --group=0 --numeric-owner -c . | gzip -n >"$out/$name.tar.gz" ;;
  esac
}

pack
for system in "${systems[@]}"; do
  if compile "$system"; then
    archive "$system"
    echo "$system: millrace-$version-$system"
    continue
  fi
  ! $require_all || fail "$system could not be compiled."
  pack_managed "$system"
  if publish_single "$system"; then
    archive "$system"
    echo "$system: millrace-$version-$system, with the runtime in it; the release workflow compiles it."
  else
    echo "$system: only the tool, because its runtime pack cannot be restored here; the release workflow compiles it."
  fi
done
pack_managed any
if [ -e "$work/command/linux-x64/millrace" ]; then
  if [ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ]; then
    eng/deb.sh "$work/command/linux-x64/millrace" "$version" "$out"
  else
    echo "The Debian package is left out: it is made on Debian or Ubuntu for amd64."
  fi
fi
(cd "$out" && sha256sum -- * >SHA256SUMS)
echo "The release $version is in artifacts/release."
