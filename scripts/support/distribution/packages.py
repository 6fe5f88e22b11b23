"""Builds the Debian packages `martlet` and `martlet-simulator`. Their other files are in deploy/ and deploy/debian/."""
import gzip
import os
import pathlib
import re
import shutil
import textwrap
import time

from ..orchestration import ROOT, Run

from .components import NAME
from .manual import COMPLETIONS, MAN, completion
from .place import OUTPUT, PROGRAM, SIMULATOR, Source

DEPLOY, DEBIAN = ROOT / "deploy", ROOT / "deploy" / "debian"
MAINTAINER = "Martlet maintainers <maintainers@martlet.invalid>"
# The libraries that the packages need in any version.
LIBRARIES = ["libgcc-s1", "libssl3", "libpq5", "librabbitmq4", "libnghttp2-14"]
# A version higher than any other, for tests of upgrades.
LATER = "9999"
# The libraries that the packages need in at least the installed version. The programs also run with later versions.
GROWING = ["libc6", "libstdc++6"]
ABOUT = {
    "martlet": ("push-delivery worker for RabbitMQ", """\
Delivers push jobs from RabbitMQ to iPhones, Android phones and browsers over HTTP/2, publishes the outcome of every
recipient, and marks dead device tokens in PostgreSQL. The worker is not started until it is configured."""),
    "martlet-simulator": ("simulators of APNs, FCM and Web Push", """\
Apple's push service, Firebase Cloud Messaging and the push services of browsers, on your own machine, for tests of
programs that send to them. Neither a broker nor a database is needed."""),
}
SHELLS = {"bash": "usr/share/bash-completion/completions", "zsh": "usr/share/zsh/vendor-completions",
          "fish": "usr/share/fish/vendor_completions.d"}


def make(run: Run, source: Source, output: pathlib.Path = OUTPUT, version: str | None = None) -> list[pathlib.Path]:
    version = version or package_version(run, source)
    for file in output.glob("*.deb"):
        file.unlink()
    return [Package(run, source, name, version).build(fill, output)
            for name, fill in (("martlet", fill_martlet), ("martlet-simulator", fill_simulator))]


def package_version(run: Run, source: Source) -> str:
    """Returns the version of the packages. Builds before a release sort before it: 0.1.0~20261123.c3498d6 < 0.1.0."""
    number = run.output([PROGRAM, "--version"]).split()[0]
    if source.is_release and not source.is_changed:
        return number
    day = time.strftime("%Y%m%d%H%M%S", time.gmtime(source.time))
    return f"{number}~{day}.{source.commit}" + (".changed" if source.is_changed else "")


def fill_martlet(package: "Package") -> None:
    package.put(PROGRAM, "usr/bin/martlet", 0o755)
    for name in ("martlet", "martlet-ledger", "martlet-migrate"):
        unit = (DEPLOY / "systemd" / f"{name}.service").read_text().replace("/usr/local/bin/martlet", "/usr/bin/martlet")
        # Removes the comments before the first section. They describe an installation without the package.
        unit = unit[unit.index("[Unit]"):].replace("[Unit]\n", "[Unit]\nDocumentation=man:martlet(1)\n")
        package.write(unit, f"usr/lib/systemd/system/{name}.service")
    package.put(DEBIAN / "sysusers.conf", "usr/lib/sysusers.d/martlet.conf")
    package.put(DEBIAN / "martlet.yaml", "etc/martlet/martlet.yaml", 0o640)
    package.write("/etc/martlet/martlet.yaml\n", "DEBIAN/conffiles")
    package.write(package.run.output([PROGRAM, "config"]), "usr/share/doc/martlet/examples/martlet.example.yaml")
    # Includes the example clients and all pages except pictures, because they link to each other.
    for file in package.run.output(["git", "-C", ROOT, "ls-files", "docs", "examples/clients"]).splitlines():
        if not file.startswith("docs/images/"):
            package.put(ROOT / file, f"usr/share/doc/martlet/{file}", 0o755 if os.access(ROOT / file, os.X_OK) else 0o644)
    for page in MAN.glob("*.1"):
        if page.stem != "martlet-simulator":
            package.compress(page.read_text(), f"usr/share/man/man1/{page.name}.gz")
    package.put_completions()
    for name in ("postinst", "prerm", "postrm"):
        package.put(DEBIAN / "martlet" / name, f"DEBIAN/{name}", 0o755)


def fill_simulator(package: "Package") -> None:
    package.put(SIMULATOR, "usr/bin/martlet-simulator", 0o755)
    package.put_completions()
    page = MAN / "martlet-simulator.1"
    package.compress(page.read_text(), f"usr/share/man/man1/{page.name}.gz")


class Package:
    def __init__(self, run: Run, source: Source, name: str, version: str):
        self.run, self.source, self.name, self.version = run, source, name, version
        self.architecture = run.output(["dpkg", "--print-architecture"]).strip()
        self.root = run.directory / "dist" / name
        # With -z1, a package is 10 % larger than with the default, but is made in a tenth of the time. A package that
        # is only for a test is not compressed.
        self.compression = ["-Zxz", "-z1"] if version != LATER else ["-Znone"]
        shutil.rmtree(self.root, ignore_errors=True)

    def write(self, content: str | bytes, path: str, mode: int = 0o644) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        target.chmod(mode)

    def put(self, file: pathlib.Path, path: str, mode: int = 0o644) -> None:
        self.write(file.read_bytes(), path, mode)

    def put_completions(self) -> None:
        """Puts the completions of the program that is called like the package."""
        for shell, folder in SHELLS.items():
            name = completion(self.name, shell)
            self.put(COMPLETIONS / shell / name, f"{folder}/{name}")

    def compress(self, text: str, path: str) -> None:
        self.write(gzip.compress(text.encode(), 9, mtime=0), path)

    def build(self, fill, output: pathlib.Path) -> pathlib.Path:
        fill(self)
        documents = f"usr/share/doc/{self.name}"
        self.put(DEBIAN / "copyright", f"{documents}/copyright")
        self.put(OUTPUT / NAME, f"{documents}/{NAME}")
        self.compress(changelog(self), f"{documents}/changelog.gz")
        self.put(DEBIAN / self.name / "lintian-overrides", f"usr/share/lintian/overrides/{self.name}")
        self.write(self.control(), "DEBIAN/control")
        for path in [self.root, *self.root.rglob("*")]:
            if path.is_dir():
                path.chmod(0o755)
            os.utime(path, (self.source.time, self.source.time))
        output.mkdir(parents=True, exist_ok=True)
        target = output / f"{self.name}_{self.version}_{self.architecture}.deb"
        self.run.run(["dpkg-deb", "--root-owner-group", *self.compression, "--build", self.root, target], stdout=open(os.devnull, "w"))
        return target

    def control(self) -> str:
        depends = [*(f"{name} (>= {self.installed(name)})" for name in GROWING), *LIBRARIES]
        if self.name == "martlet":
            depends += ["systemd | systemd-standalone-sysusers | systemd-sysusers"]
        size = sum(file.stat().st_size for file in self.root.rglob("*") if file.is_file() and "DEBIAN" not in file.parts)
        summary, text = ABOUT[self.name]
        description = "\n".join(f" {line}" for line in textwrap.wrap(" ".join(text.split()), 76))
        return (f"Package: {self.name}\nVersion: {self.version}\nArchitecture: {self.architecture}\nMaintainer: {MAINTAINER}\n"
                f"Section: net\nPriority: optional\nInstalled-Size: {size // 1024}\nDepends: {', '.join(depends)}\n"
                + ("Recommends: ca-certificates\n" if self.name == "martlet" else "")
                + f"Description: {summary}\n{description}\n")

    def installed(self, name: str) -> str:
        """Returns the installed version of a package, without Debian's revision."""
        version = self.run.output(["dpkg-query", "--show", "--showformat", "${Version}", name])
        return re.match(r"[0-9]+\.[0-9]+", version)[0]


def changelog(package: Package) -> str:
    """Returns CHANGELOG.md in Debian's format. Unreleased changes are listed under this version."""
    entries = []
    text = (ROOT / "CHANGELOG.md").read_text()
    for title, body in re.findall(r"^## \[(.*?)\].*?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL):
        version = package.version if title == "Unreleased" else title
        points = re.findall(r"^- (.*?)(?=^- |^#|\Z)", body, re.MULTILINE | re.DOTALL)
        lines = [textwrap.fill(plain(point), 78, initial_indent="  * ", subsequent_indent="    ") for point in points]
        entries.append((version, lines or ["  * See the next entry."]))
    # The first entry must be for this version, but CHANGELOG.md may have no section for it.
    if not any(version == package.version for version, _ in entries):
        entries.insert(0, (package.version, ["  * Build of this version."]))
    when = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(package.source.time))
    return "\n".join(f"{package.name} ({version}) unstable; urgency=medium\n\n" + "\n".join(lines)
                     + f"\n\n -- {MAINTAINER}  {when}\n" for version, lines in entries)


def plain(text: str) -> str:
    return " ".join(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).split())
