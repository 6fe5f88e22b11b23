"""Checks an unpacked package as Apple would: verify.py FOLDER ROOT. The manifest must have the hash of each file, and the
signature of the manifest must lead to the root through the certificates that it includes. Prints the result as JSON, or exits
with 1 and the reason."""
import hashlib
import json
import pathlib
import subprocess
import sys

folder, root = pathlib.Path(sys.argv[1]), sys.argv[2]
manifest = json.loads((folder / "manifest.json").read_text())
files = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()} - {"manifest.json", "signature"}
if files != set(manifest):
    sys.exit(f"not the same in package and manifest: {sorted(files ^ set(manifest))}")
kinds = set()
for path, value in manifest.items():
    kind, expected = (value["hashType"], value["hashValue"]) if isinstance(value, dict) else ("sha1", value)
    kinds.add(kind)
    if hashlib.new(kind, (folder / path).read_bytes()).hexdigest() != expected:
        sys.exit(f"{path}: another hash than in the manifest")
cms = ["openssl", "cms", "-inform", "DER", "-in", str(folder / "signature")]
verified = subprocess.run([*cms, "-verify", "-binary", "-content", str(folder / "manifest.json"), "-CAfile", root,
                           "-purpose", "any", "-out", "/dev/null"], capture_output=True, text=True)
if verified.returncode != 0:
    sys.exit(f"signature: {verified.stderr}")
shown = subprocess.run([*cms, "-cmsout", "-print", "-noout"], capture_output=True, text=True, check=True).stdout
print(json.dumps({"files": sorted(files), "hashes": sorted(kinds), "time": "signingTime" in shown,
                  "detached": "eContent: <ABSENT>" in shown, "certificates": shown.count("d.certificate:"),
                  "capabilities": "S/MIME Capabilities" in shown}))
