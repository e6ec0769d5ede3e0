# Sourced by ./millrace, ./test and the scripts beside this: finds the .NET SDK that global.json asks for, or says plainly how to get it.

# In front of a command that compiles. A compiler ends before code that the just-in-time compiler improves a second time pays for the
# improvement: translated once, for good, it takes three quarters of the processor time (docs/measuring.md).
compiling=(env DOTNET_TieredCompilation=0)

require_sdk() {
  local wanted=10 found
  if ! command -v dotnet >/dev/null 2>&1 && [ -x "$HOME/.dotnet/dotnet" ]; then
    export PATH="$HOME/.dotnet:$PATH" DOTNET_ROOT="$HOME/.dotnet"
  fi
  if ! command -v dotnet >/dev/null 2>&1; then
    echo "Millrace needs the .NET $wanted SDK, and there is no 'dotnet' on the PATH." >&2
    sdk_advice $wanted
    return 1
  fi
  if ! dotnet --list-sdks 2>/dev/null | grep -q "^$wanted\."; then
    found=$(dotnet --list-sdks 2>/dev/null | awk '{print $1}' | paste -sd' ' -)
    echo "Millrace needs the .NET $wanted SDK; 'dotnet' has ${found:-no SDK at all}." >&2
    sdk_advice $wanted
    return 1
  fi
  export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_CLI_UI_LANGUAGE=en
}

sdk_advice() {
  cat >&2 <<ADVICE
Get it from https://dotnet.microsoft.com/download/dotnet/$1.0, or:
  Debian, Ubuntu  apt-get install dotnet-sdk-$1.0   (after adding Microsoft's package feed)
  Fedora          dnf install dotnet-sdk-$1.0
  macOS           brew install dotnet-sdk
  Windows         winget install Microsoft.DotNet.SDK.$1
ADVICE
}
