"""A private pair of servers: its files, its lock and its recorded state."""
import contextlib
import fcntl
import json
import os
import pathlib
import pwd
import re
import secrets
import shutil
import subprocess
import tempfile

from .processes import credentials

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Refusal(Exception):
    """An error that a user can understand without a traceback."""


class Instance:
    def __init__(self, name: str, fsync: bool = True):
        if name and not re.fullmatch(r"[a-z][a-z0-9-]{0,30}", name):
            raise Refusal(f"--instance {name}: lower-case letters, digits and hyphens only")
        self.name = name or "main"
        self.directory = ROOT / ".local" / name
        self.lock_file = self.directory / "services.lock"
        self.state_file = self.directory / "services.json"
        self.env_file = self.directory / "services.env"
        self.control_file = self.directory / "services.control"
        self.log_file = self.directory / "services.log"
        self.secret_file = self.directory / "services.secret"
        self.ports_file = self.directory / "services.ports"
        self.fsync = fsync
        self.options = [*(["--instance", name] if name else []), *([] if fsync else ["--no-fsync"])]

    def create(self) -> None:
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            self.lock_file.touch()
        except PermissionError as error:
            raise Refusal(
                f"can't write {error.filename}: it belongs to another user. Run as that user, or have them run "
                "`make clean`") from error

    # The supervisor holds the lock, and its servers inherit it. As long as one of them runs, no second pair can be started on
    # the same data.
    def try_lock(self) -> int | None:
        self.create()
        descriptor = os.open(self.lock_file, os.O_RDWR)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return descriptor

    def is_locked(self) -> bool:
        if not self.lock_file.exists():
            return False
        descriptor = self.try_lock()
        if descriptor is not None:
            os.close(descriptor)
        return descriptor is None

    def state(self) -> dict:
        try:
            return json.loads(self.state_file.read_text())
        except PermissionError as error:
            raise Refusal(f"can't read {error.filename}: another user started these servers") from error
        except (OSError, ValueError):
            return {}

    def write(self, file: pathlib.Path, text: str) -> None:
        """Writes the file atomically, and readable only by its owner."""
        scratch = file.with_name(f"{file.name}.{os.getpid()}")
        with open(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as output:
            output.write(text)
        os.replace(scratch, file)

    def secret(self) -> str:
        """Returns the password of both servers, which is created once for each set of data."""
        with contextlib.suppress(FileNotFoundError):
            return self.secret_file.read_text().strip()
        self.write(self.secret_file, secrets.token_hex(16) + "\n")
        return self.secret_file.read_text().strip()

    def forget_state(self) -> None:
        for file in (self.state_file, self.env_file, self.control_file):
            file.unlink(missing_ok=True)

    def wipe(self) -> None:
        """Deletes the data of both servers. The caller must hold the lock."""
        for path in [*self.directory.glob("rabbitmq*"), *self.directory.glob("postgres*")]:
            if path.is_symlink():
                shutil.rmtree(path.resolve().parent, ignore_errors=True)
                path.unlink()
            elif path.exists():
                shutil.rmtree(path)
        for file in (self.secret_file, self.ports_file, self.log_file):
            file.unlink(missing_ok=True)

    def home(self, server: str, account: pwd.struct_passwd) -> pathlib.Path:
        """Returns the directory of a server. Its account can enter it, and other users can't read it."""
        path = self.directory / server
        if path.is_symlink() and not path.exists():
            path.unlink()
        if not path.exists():
            if can_enter(self.directory, account):
                path.mkdir(mode=0o750)
            else:
                # The checkout is below a private home, for example root's, which the server's account can't enter.
                private = pathlib.Path(tempfile.mkdtemp(prefix="martlet-", dir="/var/tmp"))
                private.chmod(0o711)
                (private / server).mkdir(mode=0o750)
                path.symlink_to(private / server)
        path = path.resolve()
        if path.stat().st_uid != os.geteuid():
            owner = pwd.getpwuid(path.stat().st_uid).pw_name
            raise Refusal(f"{path} belongs to {owner}: run as {owner}, or have {owner} run `make clean`")
        os.chown(path, -1, account.pw_gid)
        return path


def can_enter(directory: pathlib.Path, account: pwd.struct_passwd) -> bool:
    check = subprocess.run(["test", "-x", str(directory)], cwd="/", **credentials(account))
    return check.returncode == 0


def service_account(package_user: str) -> pwd.struct_passwd:
    """Returns the account for a server. If we are root, it is the user of the Debian package: PostgreSQL does not run as
    root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    try:
        return pwd.getpwnam(package_user)
    except KeyError as error:
        raise Refusal(f"there is no user {package_user}; run scripts/install") from error


def own_directory(path: pathlib.Path, account: pwd.struct_passwd) -> pathlib.Path:
    if not path.exists():
        path.mkdir(mode=0o700)
        os.chown(path, account.pw_uid, account.pw_gid)
    return path
