#!/usr/bin/env bash
# Writes the public API of each library to src/LIBRARY/PublicAPI.Unshipped.txt. Run it after a change of the API that is meant.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. eng/sdk.sh
require_sdk
# Each after those that it references.
for library in Millrace Millrace.Kestrel Millrace.Transfer Millrace.Transfer.Server Millrace.Transfer.S3; do
  folder=src/$library
  api=$folder/PublicAPI.Unshipped.txt
  echo "#nullable enable" >"$api"
  # Without the file, every member is a warning that has the line to write.
  dotnet build "$folder" -c Release --no-incremental --no-dependencies -p:TreatWarningsAsErrors=false -p:CodeAnalysisTreatWarningsAsErrors=false |
    sed -n "s/.*warning RS0016: Symbol '\(.*\)' is not part of the declared public API.*/\1/p" | LC_ALL=C sort -u >"$api.new"
  [ -s "$api.new" ] || { echo "The build of $folder named no member; see its errors." >&2; exit 1; }
  cat "$api.new" >>"$api"
  rm "$api.new"
done
