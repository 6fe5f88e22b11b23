"""Makes the root of scripts/fresh and runs the command in it. This is the first process of separate namespaces.

  fresh_root.py SUITE DIRECTORY FOLDER COMMAND…

With a FOLDER, the root has neither Swift nor a clone of this repository, and the command runs in that folder.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The programs that a developer needs for `make`: git, make, and the packages that swift.org's toolchain needs.
PREREQUISITES = ["git", "make", "g++", "libcurl4-openssl-dev", "libedit-dev", "libncurses-dev", "libsqlite3-dev",
                 "libxml2-dev", "tzdata", "uuid-dev", "zlib1g-dev"]
# Folders in the root. They are not below a private home, because the servers' own users must reach their data.
CLONE, FOLDER = "/srv/martlet", "/srv/folder"
DEBOOTSTRAP = pathlib.Path("/usr/share/debootstrap")
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
# The variables that the command inherits. The proxies are for apt.
PASSED_ON = ("TERM", "http_proxy", "https_proxy", "no_proxy")
# The network may have a proxy with its own certificate authority.
AUTHORITIES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")


def say(text: str) -> None:
    print(f"fresh: {text}", file=sys.stderr, flush=True)


def call(*command: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], check=True, **options)


def output(*command: str) -> str:
    return call(*command, stdout=subprocess.PIPE, text=True).stdout


def toolchain() -> pathlib.Path:
    """Returns the folder of the toolchain. `swift` in PATH may be a link or a launcher."""
    if shutil.which("swift") is None:
        sys.exit("fresh: no 'swift' in PATH")
    resources = json.loads(output("swift", "-print-target-info"))["paths"]["runtimeResourcePath"]
    prefix = pathlib.Path(resources).parents[1]
    if prefix == pathlib.Path("/usr"):
        sys.exit("fresh: Swift is installed in /usr itself; it must be in a directory of its own to be bound into the root")
    return prefix


def replacements() -> list[tuple[str, str]]:
    """Returns git's URL replacements, as pairs of (instead, of)."""
    found = subprocess.run(
        ["git", "config", "--get-regexp", r"^url\..*\.insteadof$"], stdout=subprocess.PIPE, text=True, check=False).stdout
    return re.findall(r"^url\.(.*)\.insteadof (.*)$", found, re.MULTILINE)


class Root:
    def __init__(self, suite: str, directory: pathlib.Path):
        self.suite = suite
        self.path = directory / "root"
        # The marker is written last. If it is missing, an earlier attempt did not finish.
        self.marker = directory / "made"
        self.packages = ROOT / ".local" / "fresh" / f"packages-{suite}"

    def make(self) -> None:
        if self.marker.exists():
            return
        if shutil.which("debootstrap") is None:
            call("bash", ROOT / "scripts" / "install", "--as-root", "debootstrap", "debian-archive-keyring")
        if self.path.exists():
            call("rm", "-rf", "--one-file-system", self.path)
        self.path.mkdir(mode=0o755)
        self.path.parent.chmod(0o755)
        self.packages.mkdir(parents=True, exist_ok=True)
        say(f"making a root with debootstrap: {self.suite}")
        call("debootstrap", "--variant=minbase", f"--cache-dir={self.packages}", self.suite, self.path,
             env=os.environ | {"DEBOOTSTRAP_DIR": str(self.debootstrap_files())}, stdout=subprocess.DEVNULL)
        self.write("etc/hosts", "127.0.0.1 localhost\n::1 localhost\n")
        # The package lists of a testing suite expire after a week, and a mirror may be older than that.
        self.write("etc/apt/apt.conf.d/90fresh", 'Acquire::Check-Valid-Until "false";\n')

    def debootstrap_files(self) -> pathlib.Path:
        """Returns the folder with debootstrap's functions and with a script for the suite.

        If debootstrap is older than the suite, the script for sid is used. It serves every suite since 2004.
        """
        if (DEBOOTSTRAP / "scripts" / self.suite).exists():
            return DEBOOTSTRAP
        files = self.path.parent / "debootstrap"
        shutil.rmtree(files, ignore_errors=True)
        shutil.copytree(DEBOOTSTRAP, files, symlinks=True)
        (files / "scripts" / self.suite).symlink_to("sid")
        return files

    def write(self, name: str, text: str) -> None:
        (self.path / name).write_text(text)

    def bind(self, source: pathlib.Path, flags: str, place: str | None = None) -> None:
        target = self.path / (place or str(source)).lstrip("/")
        if source.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
        call("mount", "--bind", source, target)
        call("mount", "-o", f"remount,bind,{flags}", target)

    def mount(self) -> None:
        call("mount", "-t", "proc", "proc", self.path / "proc")
        call("mount", "-t", "sysfs", "-o", "ro", "sysfs", self.path / "sys")
        devices = self.path / "dev"
        call("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", devices)
        for name in DEVICES:
            self.bind(pathlib.Path("/dev", name), "rw")
        for name, target in (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2"),
                             ("ptmx", "pts/ptmx")):
            (devices / name).symlink_to(target)
        for name in ("pts", "shm"):
            (devices / name).mkdir()
        call("mount", "-t", "devpts", "-o", "newinstance,ptmxmode=0666,mode=620,gid=5", "devpts", devices / "pts")
        call("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", devices / "shm")

    def bind_swift(self) -> pathlib.Path:
        prefix = toolchain()
        self.bind(prefix, "ro")
        # The copies may belong to another user, which git rejects by default.
        lines = ["[safe]", "\tdirectory = *"]
        copies = set()
        for instead, of in replacements():
            lines += [f'[url "{instead}"]', f"\tinsteadOf = {of}"]
            local = pathlib.Path(instead.removeprefix("file://"))
            if local.is_absolute() and local.is_dir():
                copies.add(local)
        for directory in copies:
            self.bind(directory, "ro")
        self.write("etc/gitconfig", "\n".join(lines) + "\n")
        return prefix

    def install_prerequisites(self, environment: dict[str, str]) -> None:
        if self.marker.exists():
            return
        self.share_packages()
        say("installing the programs that make needs: " + " ".join(PREREQUISITES))
        for command in (["update"], ["install", "-y", "--no-install-recommends", *PREREQUISITES]):
            call("chroot", self.path, "apt-get", "-qq", *command, env=environment, stdout=subprocess.DEVNULL)
        self.marker.touch()

    def lend_libraries(self, prefix: pathlib.Path, environment: dict[str, str]) -> None:
        """Copies the libraries that the toolchain needs, if the suite has them only in another version."""
        program = prefix / "bin" / "swift-build"
        ours = dict(re.findall(r"(\S+) => (/\S+)", output("ldd", program)))
        while missing := re.findall(
                r"(\S+) => not found", call("chroot", self.path, "ldd", program, env=environment, text=True,
                                            stdout=subprocess.PIPE).stdout):
            for name in missing:
                if name not in ours:
                    sys.exit(f"fresh: {program} needs {name}, which neither the root nor this machine has")
                say(f"copying {name}, which the toolchain needs, into the root")
                shutil.copy(pathlib.Path(ours[name]).resolve(), self.path / "usr" / "local" / "lib" / name)
            call("chroot", self.path, "ldconfig", env=environment)

    def share_packages(self) -> None:
        """Links downloaded packages in both directions, so that nothing is downloaded twice."""
        inside = self.path / "var" / "cache" / "apt" / "archives"
        for source, target in ((self.packages, inside), (inside, self.packages)):
            for file in source.glob("*.deb"):
                if not (target / file.name).exists():
                    os.link(file, target / file.name)

    def clone(self) -> None:
        target = self.path / CLONE.lstrip("/")
        if output("git", "-C", ROOT, "status", "--porcelain"):
            say("the clone is of HEAD and has no uncommitted changes")
        if not target.exists():
            # The clone is complete and shares no files with this repository, like one from a server.
            call("git", "clone", "--quiet", "--no-local", ROOT, target)
        else:
            call("git", "-C", target, "fetch", "--quiet", ROOT, "HEAD")
            call("git", "-C", target, "checkout", "--quiet", "--detach", "FETCH_HEAD")


def wait(process: subprocess.Popen) -> int:
    """Waits for the command. As the first process of its namespace, this process also inherits orphans and must collect
    them."""
    while True:
        pid, status = os.wait()
        if pid == process.pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode


def prepare(root: Root, folder: str, environment: dict[str, str]) -> str:
    """Prepares the root for the command. Returns the folder in which the command runs."""
    if folder:
        root.share_packages()
        root.bind(pathlib.Path(folder), "ro", place=FOLDER)
        return FOLDER
    prefix = root.bind_swift()
    environment["PATH"] = f"{prefix}/bin:{environment['PATH']}"
    root.install_prerequisites(environment)
    root.lend_libraries(prefix, environment)
    if AUTHORITIES.exists():
        root.write("srv/authorities.pem", AUTHORITIES.read_text())
        environment["PIP_CERT"] = "/srv/authorities.pem"
    root.clone()
    return CLONE


def main(suite: str, directory: str, folder: str, command: list[str]) -> int:
    started = time.monotonic()
    root = Root(suite, pathlib.Path(directory))
    root.make()
    root.mount()
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ} | {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    place = prepare(root, folder, environment)
    head = output("git", "-C", ROOT, "rev-parse", "--short", "HEAD").strip()
    say(f"{suite} is ready after {time.monotonic() - started:.0f} s; {' '.join(command)}, at {head}")
    started = time.monotonic()
    # Ctrl-C is for the command. A handler is not inherited by the command, unlike SIG_IGN.
    signal.signal(signal.SIGINT, lambda *_: None)
    process = subprocess.Popen(
        ["chroot", str(root.path), "/bin/sh", "-c", f'cd {place} && exec "$@"', "fresh", *command], env=environment)
    code = wait(process)
    root.share_packages()
    say(f"{' '.join(command)} ended with {code} after {time.monotonic() - started:.0f} s")
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))
    except subprocess.CalledProcessError as error:
        sys.exit(f"fresh: {' '.join(str(part) for part in error.cmd)} ended with {error.returncode}")
