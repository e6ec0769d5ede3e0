#!/usr/bin/env bash
# Swift for the rows UrlSession* of `lab bytes`, where swiftc is not on the PATH: Debian 13's packages, unpacked into a root of their
# own in the cache folder, beside which `swiftc` runs the compiler. Needs Debian or Ubuntu, and root or user namespaces.
set -euo pipefail
umask 022

usage() {
  cat <<'HELP'
eng/swift.sh           make the root, unless it is there: fetches 0.5 GB, takes 2.5 GB
eng/swift.sh test      run the tests of swift/ with it
eng/swift.sh remove    delete it

The folder is millrace/swift in $XDG_CACHE_HOME, or in ~/.cache. Its file `swiftc` is the compiler; the programs that it makes
run outside the root.
HELP
}

cache=${XDG_CACHE_HOME:-$HOME/.cache}
[[ $cache = /* ]] || cache=$HOME/.cache
folder=$cache/millrace/swift
packages=(base-files swiftlang libswiftlang libc6-dev libstdc++-14-dev)
keys=/usr/share/keyrings/debian-archive-keyring.gpg

# apt, of the other release, with this system's proxies and without its packages.
apt_there() {
  apt-get -qq -o Dir::State="$work/state" -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" -o Dir::Etc::sourcelist="$work/sources.list" \
    -o Dir::Etc::sourceparts="$work/none" -o Dir::Etc::preferences="$work/none/none" -o Dir::Etc::preferencesparts="$work/none" -o APT::Sandbox::User= -o APT::Install-Recommends=false -o Acquire::Languages=none \
    -o Acquire::Retries=3 "$@"
}

# Unpacked and not installed: a compiler needs no scripts of maintainers, and so no mounts and no devices while it is made.
make_root() {
  local mirror
  # What an earlier one left that was killed.
  rm -rf "$folder"/new.*
  work=$(mktemp -d "$folder/new.XXXXXX")
  mkdir -p "$work"/state/lists/partial "$work"/cache/archives/partial "$work"/none "$work"/root
  : >"$work/status"
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 -E '/debian/?$' || echo http://deb.debian.org/debian)
  echo "deb [signed-by=$keys] $mirror trixie main" >"$work/sources.list"
  # An old release may not know the keys of the new one.
  apt_there update -o APT::Update::Error-Mode=any ||
    { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y install debian-archive-keyring && apt_there update -o APT::Update::Error-Mode=any; }
  apt_there -y --download-only install "${packages[@]}"
  # It has the links of the root that others unpack through.
  dpkg-deb -x "$work"/cache/archives/base-files_*.deb "$work/root" && rm "$work"/cache/archives/base-files_*.deb
  printf '%s\0' "$work"/cache/archives/*.deb | xargs -0 -P "$(nproc)" -I DEB dpkg-deb -x DEB "$work/root"
  mkdir -p "$work/root/work"
  mv "$work/root" "$folder/root"
  end
}

# A program sees the current folder as /work, and finds itself in /proc. They are mounted for its processes only, so that whatever ends
# it leaves no mount. What the compiler makes is linked with the loader and the libraries of the root, and runs outside of it; by name
# with those that Swift's libraries would look for in this system.
write_programs() {
  local loader libraries
  loader=$(find "$folder/root/usr/lib64" "$folder/root/usr/lib" -maxdepth 1 -name 'ld-linux-*' 2>/dev/null | head -n 1)
  libraries=$folder/root/usr/libexec/swift/lib/swift/linux:$(dirname "$folder"/root/usr/lib/*/libc.so.6)
  write_program inside <<'PROGRAM'
alone='unshare --mount --propagation private'
[ "$(id -u)" = 0 ] || alone="$alone --map-root-user"
exec $alone sh -c '
  root=$1 unshare=$(command -v unshare) && shift &&
    mount --rbind /proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --bind "$PWD" "$root/work" &&
    exec env -i PATH=/usr/libexec/swift/bin:/usr/bin HOME=/tmp "$unshare" --root="$root" --wd=/work "$@"' sh "$(dirname "$0")/root" "$@"
PROGRAM
  write_program swiftc <<PROGRAM
exec '$folder/inside' swiftc "\$@" -no-toolchain-stdlib-rpath -Xlinker --dynamic-linker='$loader' -Xlinker --disable-new-dtags \\
  -Xlinker -rpath='$libraries' -Xlinker --no-as-needed -Xlinker -l:libstdc++.so.6 -Xlinker -l:libgcc_s.so.1 -Xlinker -l:libcurl.so.4
PROGRAM
}

write_program() {
  { echo '#!/bin/sh'; echo '# Made by eng/swift.sh.'; cat; } >"$folder/$1.new"
  chmod +x "$folder/$1.new"
  mv "$folder/$1.new" "$folder/$1"
}

end() { [ -z "$work" ] || rm -rf "$work"; work=; }

work=
case ${1:-} in
  ''|test)
    trap end EXIT
    trap 'exit 130' INT TERM HUP
    mkdir -p "$folder"
    exec 9>"$folder/lock"
    flock 9
    [ -d "$folder/root" ] || make_root
    write_programs
    exec 9>&-
    [ -z "${1:-}" ] && echo "$folder/swiftc" || { cd "$(dirname "${BASH_SOURCE[0]}")/../swift" && "$folder/inside" swift-test; }
    ;;
  remove) rm -rf "$folder" ;;
  -h|--help) usage ;;
  *) usage >&2; exit 1 ;;
esac
