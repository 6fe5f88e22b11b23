"""What is in the image, as SPDX 2.3 says it: Debian's packages and the Swift packages that are linked into the program."""
import dataclasses
import datetime
import hashlib
import json
import pathlib
import re
import urllib.parse


@dataclasses.dataclass(frozen=True)
class Package:
    name: str
    version: str
    supplier: str
    purl: str

    @classmethod
    def of(cls, control: str) -> "Package":
        """From a Debian package's control data."""
        fields = dict(re.findall(r"^([\w-]+): (.*)$", control, re.MULTILINE))
        name, version, architecture = fields["Package"], fields["Version"], fields["Architecture"]
        purl = f"pkg:deb/debian/{urllib.parse.quote(name)}@{urllib.parse.quote(version, safe='')}?arch={architecture}"
        return cls(name, version, f"Organization: {fields['Maintainer']}", purl)


def version(root: pathlib.Path) -> str:
    code = (root / "Sources" / "MartletService" / "Worker" / "Worker.swift").read_text()
    return re.search(r'static let version = "(.*)"', code)[1]


def timestamp(seconds: int) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def swift_packages(root: pathlib.Path) -> list[Package]:
    found = []
    for pin in json.loads((root / "Package.resolved").read_text())["pins"]:
        place = re.sub(r"^https://|\.git$", "", pin["location"])
        state = pin["state"]
        exact = state.get("version") or state["revision"]
        found.append(Package(pin["identity"], exact, "NOASSERTION", f"pkg:swift/{place}@{exact}"))
    return found


def document(root: pathlib.Path, own_version: str, program: bytes, debian: list[Package], created: str) -> dict:
    own = Package("martlet", own_version, "NOASSERTION", f"pkg:generic/martlet@{own_version}")
    debian, swift = sorted(debian, key=lambda each: each.name), swift_packages(root)
    digest = hashlib.sha256(program).hexdigest()
    names = {each: f"SPDXRef-{kind}-{re.sub('[^A-Za-z0-9.-]', '-', each.name)}"
             for kind, packages in (("own", [own]), ("debian", debian), ("swift", swift)) for each in packages}
    listed = []
    for package, name in names.items():
        listed.append({
            "SPDXID": name, "name": package.name, "versionInfo": package.version, "supplier": package.supplier,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "Apache-2.0" if package is own else "NOASSERTION", "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": package.purl}]})
    listed[0]["checksums"] = [{"algorithm": "SHA256", "checksumValue": digest}]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", names[own]),
                 *((names[own], "DEPENDS_ON", names[each]) for each in debian),
                 *((names[own], "STATIC_LINK", names[each]) for each in swift)]
    return {
        "spdxVersion": "SPDX-2.3", "SPDXID": "SPDXRef-DOCUMENT", "dataLicense": "CC0-1.0", "name": f"martlet-{own_version}",
        "documentNamespace": f"urn:martlet:sbom:{digest}",
        "creationInfo": {"created": created, "creators": ["Tool: deploy/image/build"]}, "packages": listed,
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                          for one, kind, other in relations]}
