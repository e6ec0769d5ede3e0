# Sourced by ./test: what makes file systems whose files can share blocks, for the tests of copying. Root on Debian or
# Ubuntu gets what is missing. Without them those copies fall back, and the tests say that they do.

require_filesystems() {
  can_install || return 0
  command -v mkfs.xfs >/dev/null 2>&1 || install_packages xfsprogs
  command -v mkfs.btrfs >/dev/null 2>&1 || install_packages btrfs-progs
  return 0
}
