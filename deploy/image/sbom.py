"""Lists the contents of the image as SPDX 2.3: Debian's packages, and other projects' code that is linked into the program."""
import dataclasses
import datetime
import hashlib
import pathlib
import re
import urllib.parse

from support.distribution import components


@dataclasses.dataclass(frozen=True)
class Package:
    name: str
    version: str | None
    supplier: str
    purl: str
    licence: str = "NOASSERTION"

    @classmethod
    def of(cls, control: str) -> "Package":
        """Returns the package that a Debian package's control data describes."""
        fields = dict(re.findall(r"^([\w-]+): (.*)$", control, re.MULTILINE))
        name, version, architecture = fields["Package"], fields["Version"], fields["Architecture"]
        purl = f"pkg:deb/debian/{urllib.parse.quote(name)}@{urllib.parse.quote(version, safe='')}?arch={architecture}"
        return cls(name, version, f"Organization: {fields['Maintainer']}", purl)


def version(root: pathlib.Path) -> str:
    code = (root / "Sources" / "Foundations" / "Build.swift").read_text()
    return re.search(r'static let version = "(.*)"', code)[1]


def timestamp(seconds: int) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def reference(kind: str, name: str) -> str:
    return f"SPDXRef-{kind}-{re.sub('[^A-Za-z0-9.-]', '-', name)}"


def document(own_version: str, program: bytes, debian: list[Package], linked: list[components.Component], created: str) -> dict:
    own = Package("martlet", own_version, "NOASSERTION", f"pkg:generic/martlet@{own_version}", "Apache-2.0")
    debian = sorted(debian, key=lambda each: each.name)
    inside = [Package(each.name, each.version, "NOASSERTION", each.purl, each.licence) for each in linked]
    digest = hashlib.sha256(program).hexdigest()
    names = {own: "SPDXRef-own-martlet", **{each: reference("debian", each.name) for each in debian},
             # Two packages may include the same code, which is then listed twice.
             **{each: reference("linked", each.purl.rpartition("/")[2]) for each in inside}}
    listed = []
    for package, name in names.items():
        listed.append({
            "SPDXID": name, "name": package.name, "supplier": package.supplier,
            **({"versionInfo": package.version} if package.version else {}),
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": package.licence, "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": package.purl}]})
    listed[0]["checksums"] = [{"algorithm": "SHA256", "checksumValue": digest}]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", names[own]),
                 *((names[own], "DEPENDS_ON", names[each]) for each in debian),
                 *((names[own], "STATIC_LINK", names[each]) for each in inside)]
    return {
        "spdxVersion": "SPDX-2.3", "SPDXID": "SPDXRef-DOCUMENT", "dataLicense": "CC0-1.0", "name": f"martlet-{own_version}",
        "documentNamespace": f"urn:martlet:sbom:{digest}",
        "creationInfo": {"created": created, "creators": ["Tool: deploy/image/build"]}, "packages": listed,
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                          for one, kind, other in relations]}
