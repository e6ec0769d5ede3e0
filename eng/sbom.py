"""Prints a CycloneDX bill of materials of what a restored project ships.

Usage: sbom.py ASSETS LOCK NAME VERSION [RID]   (obj/project.assets.json; packages.lock.json). Fails when the assets have a package
that the lock file does not have, or has with other content.
"""
import base64
import json
import re
import sys
import uuid
from pathlib import Path

assets_path, lock_path, name, version = sys.argv[1:5]
rid = sys.argv[5] if len(sys.argv) > 5 else None
assets = json.loads(Path(assets_path).read_text())
locked = {package.lower(): entry for target in json.loads(Path(lock_path).read_text())["dependencies"].values()
          for package, entry in target.items()}
folders = [Path(folder) for folder in assets["packageFolders"]]


def licence(package, number):
    """The licence expression or address in the package's manifest."""
    for folder in folders:
        for manifest in (folder / package.lower() / number).glob("*.nuspec"):
            text = manifest.read_text(encoding="utf-8-sig")
            if found := re.search(r'<license type="expression">([^<]+)<', text):
                return [{"expression": found[1]}]
            if found := re.search(r'<license type="file">([^<]+)<', text):
                if "MIT License" in (manifest.parent / found[1].replace("\\", "/")).read_text(encoding="utf-8-sig"):
                    return [{"expression": "MIT"}]
            if found := re.search(r"<licenseUrl>([^<]+)<", text):
                return [{"license": {"name": "see the address", "url": found[1]}}]
    return []


def component(package, number, sha512=None):
    entry = {"type": "library", "bom-ref": f"pkg:nuget/{package}@{number}", "name": package, "version": number,
             "purl": f"pkg:nuget/{package}@{number}", "licenses": licence(package, number)}
    if sha512:
        entry["hashes"] = [{"alg": "SHA-512", "content": base64.b64decode(sha512).hex()}]
    return entry


target = next(found for key, found in assets["targets"].items() if key.endswith(f"/{rid}") or (rid is None and "/" not in key))
components = []
for key, entry in sorted(target.items()):
    package, number = key.split("/")
    shipped = [file for kind in ("runtime", "native", "runtimeTargets") for file in entry.get(kind, {}) if not file.endswith("_._")]
    # Analyzers and generators of code are restored and not shipped; the repository's own projects are what this is the bill of.
    if entry["type"] != "package" or not shipped:
        continue
    sha512 = assets["libraries"][key]["sha512"]
    if locked.get(package.lower(), {}).get("contentHash") != sha512:
        sys.exit(f"{key} is not the package in {lock_path}.")
    components.append(component(package, number, sha512))
if rid:
    for framework in assets["project"]["frameworks"].values():
        for pack in framework.get("downloadDependencies", []):
            if ".Runtime." in pack["name"] and pack["name"].endswith(rid):
                components.append(component(pack["name"], pack["version"].strip("[]").split(",")[0]))

root = {"type": "application", "bom-ref": name, "name": name, "version": version, "licenses": [{"expression": "MIT"}]}
bill = {"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"component": root}, "components": components,
        "dependencies": [{"ref": name, "dependsOn": [entry["bom-ref"] for entry in components]}]}
bill["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bill))}"
print(json.dumps(bill, indent=2))
