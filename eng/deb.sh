#!/usr/bin/env bash
# Makes the Debian package of the command, for the architecture of this machine's dpkg.
# Usage: eng/deb.sh PROGRAM VERSION FOLDER   (the file of eng/publish.sh; the package goes to FOLDER)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=$1 out=$3 architecture=$(dpkg --print-architecture)
# A pre-release sorts before its release: 0.2.0-alpha.0.3 becomes 0.2.0~alpha.0.3.
version=${2/-/\~}
# The same bytes for the same commit.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
root=$(mktemp -d) && chmod 755 "$root"
trap 'rm -rf "$root"' EXIT
umask 022

filled() { sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@DATE@/$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)/" "$@"; }

documents=$root/usr/share/doc/millrace
install -D "$program" "$root/usr/lib/millrace/millrace"
mkdir -p "$root/usr/bin" "$documents" "$root/usr/share/man/man1" "$root/usr/share/bash-completion/completions" "$root/DEBIAN"
ln -s ../lib/millrace/millrace "$root/usr/bin/millrace"
install -D -m 644 eng/deb/millrace.service "$root/usr/lib/systemd/system/millrace.service"
install -D -m 644 eng/deb/sysusers.conf "$root/usr/lib/sysusers.d/millrace.conf"
install -D -m 644 eng/deb/default "$root/etc/default/millrace"
install -D -m 644 eng/deb/lintian-overrides "$root/usr/share/lintian/overrides/millrace"
filled eng/deb/millrace.1 | gzip -9n >"$root/usr/share/man/man1/millrace.1.gz"
"$program" completion bash >"$root/usr/share/bash-completion/completions/millrace"
# The licence's paragraphs, as continued lines of its field.
sed -e '1,4d' -e 's/^$/./' -e 's/^/ /' LICENSE >"$root/DEBIAN/licence"
sed -e "/@MIT@/{r $root/DEBIAN/licence" -e 'd}' eng/deb/copyright >"$documents/copyright"
rm "$root/DEBIAN/licence"
gzip -9nc CHANGELOG.md >"$documents/NEWS.gz"
gzip -9n >"$documents/changelog.gz" <<CHANGES
millrace ($version) unstable; urgency=medium

  * NEWS.gz lists the changes.

 -- $(sed -n 's/^Maintainer: //p' eng/deb/control)  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
CHANGES

# The newest C library of which the program needs something, which depends on where it was linked.
library=$(objdump -T "$program" | grep -oE 'GLIBC_[0-9.]+' | sort -V | tail -n 1)
filled -e "s/@SIZE@/$(du -sk "$root" | cut -f1)/" -e "s/@LIBC@/${library#GLIBC_}/" eng/deb/control >"$root/DEBIAN/control"
echo /etc/default/millrace >"$root/DEBIAN/conffiles"
for script in postinst prerm postrm; do install -m 755 "eng/deb/$script" "$root/DEBIAN/$script"; done
(cd "$root" && find etc usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
# gzip: every dpkg reads it, and xz takes a minute for the tenth that it saves.
dpkg-deb --root-owner-group -Zgzip --build "$root" "$out/millrace_${version}_$architecture.deb" >/dev/null
