# Sourced by ./test: finds and installs what eng/requirements.list names. Root on Debian or Ubuntu gets what is missing;
# everybody else is told what to install, and tests that need it are skipped with that reason.

node_wanted=20.19

# Those of ./test, or of ./test --all.
requirements() { awk -v tier="${tier:-all}" '!/^#/ && NF && ($3 != "all" || tier == "all") { print $1, $2 }' eng/requirements.list; }

has_requirement() {
  case "$1" in
    python:*) /usr/bin/python3 -c "import ${1#*:}" 2>/dev/null ;;
    /*) [ -e "$1" ] ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

missing_packages() {
  local package proof
  while read -r package proof; do
    has_requirement "$proof" || echo "$package"
  done < <(requirements)
}

node_is_new_enough() {
  command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 &&
    node -e 'const [a, b] = process.versions.node.split("."), [c, d] = process.argv[1].split(".");
             process.exit(a > c - 0 || (a === c && b - 0 >= d - 0) ? 0 : 1)' "$node_wanted"
}

install_packages() {
  # Another program may be installing something.
  local apt=(apt-get -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3)
  local install=("${apt[@]}" install -y --no-install-recommends "$@")
  echo "Installing $* ..."
  DEBIAN_FRONTEND=noninteractive "${install[@]}" >/dev/null 2>&1 ||
    { "${apt[@]}" update >/dev/null 2>&1 && DEBIAN_FRONTEND=noninteractive "${install[@]}" >/dev/null; }
}

# Prints what is missing and how to get it when it returns 1.
require_everything() {
  local missing
  mapfile -t missing < <(missing_packages)
  if [ ${#missing[@]} -gt 0 ] && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    install_packages "${missing[@]}"
    mapfile -t missing < <(missing_packages)
  fi
  if [ ${#missing[@]} -gt 0 ]; then
    echo "Some tests need packages that are missing here: apt-get install ${missing[*]}"
    return 1
  fi
  node_is_new_enough && return 0
  echo "Some tests need Node $node_wanted or newer, and this is $(node --version 2>/dev/null || echo none): https://nodejs.org"
  return 1
}

# Makes artifacts/programs: links to the programs of the listed packages, of Debian's essential ones and of the .NET SDK, and to
# no others. Tests run with it as their only PATH, so a test that uses anything else fails here and not on a fresh machine.
# Prints nothing where there is no dpkg.
listed_programs() {
  local folder=$PWD/artifacts/programs program
  command -v dpkg-query >/dev/null 2>&1 || return 0
  rm -rf "$folder" && mkdir -p "$folder"
  {
    dpkg-query -W -f='${Package}\t${Essential}\t${Priority}\n' | awk '$2 == "yes" || $NF == "required" { print $1 }'
    requirements | awk '{ print $1 }'
  } | sort -u | xargs dpkg -L 2>/dev/null | grep -E '^(/usr)?/s?bin/[^/]+$' | while read -r program; do
    [ -x "$program" ] && ln -sf "$program" "$folder/"
  done
  # These may come from elsewhere than Debian, from another package, or by an alternative (g++, awk).
  for program in dotnet npx gcc cc c++ ld as awk python3 $(requirements | awk '$2 !~ /[:\/]/ { print $2 }'); do
    command -v "$program" >/dev/null 2>&1 && ln -sf "$(readlink -f "$(command -v "$program")")" "$folder/$program"
  done
  echo "$folder"
}
