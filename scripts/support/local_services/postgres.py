"""A private PostgreSQL server that listens on loopback, without Unix socket, and requires a password. It may have a standby."""
import os
import pathlib
import shutil
import signal
import subprocess

from .instance import Instance, Refusal, own_directory, service_account
from .processes import credentials, dies_with_parent, free_port, spawn, stop

VERSIONS = pathlib.Path("/usr/lib/postgresql")


def server_name(number: int) -> str:
    """Returns the name of a server in commands, files and variables."""
    return "postgres" if number == 1 else f"postgres-{number}"


class Postgres:
    start_limit = 60.0
    stop_patience = 20.0

    def __init__(self, instance: Instance, lock: int, ports: dict, taken: set[int], number: int = 1):
        self.instance = instance
        self.lock = lock
        self.account = service_account("postgres")
        self.name = server_name(number)
        self.home = instance.home(self.name, self.account)
        self.data = self.home / "data"
        self.programs = self._programs()
        self.use = "sql" if number == 1 else f"sql-{number}"
        self.ports = {self.use: free_port(ports.get(self.use), taken)}
        self.process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        return f"postgres://martlet:{self.instance.secret()}@127.0.0.1:{self.port}/martlet"

    @property
    def port(self) -> int:
        return self.ports[self.use]

    def _programs(self) -> pathlib.Path:
        """Returns the programs of the major version that created the data, because other versions can't read it."""
        version_file = self.home / "version"
        if version_file.exists():
            wanted = version_file.read_text().strip()
            if not (VERSIONS / wanted / "bin" / "postgres").exists():
                raise Refusal(f"the data was created by PostgreSQL {wanted}, which is not installed; run `make clean`")
            return VERSIONS / wanted / "bin"
        found = [path.parent for path in VERSIONS.glob("*/bin/initdb")]
        if not found:
            raise Refusal("no PostgreSQL server under /usr/lib/postgresql; run scripts/install")
        return max(found, key=lambda path: float(path.parent.name))

    def _environment(self) -> dict[str, str]:
        return {"PATH": f"{self.programs}:/usr/bin:/bin", "LANG": "C.UTF-8", "PGPASSWORD": self.instance.secret()}

    def _run(self, *command: str) -> None:
        result = subprocess.run(
            command, env=self._environment(), cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True,
            preexec_fn=dies_with_parent(signal.SIGKILL), pass_fds=(self.lock,), **credentials(self.account))
        if result.returncode != 0:
            raise Refusal(f"{pathlib.Path(command[0]).name} failed: {result.stderr.strip()}")

    def initialise(self) -> None:
        """Creates the cluster. The file `version` is written last. A cluster without it is incomplete."""
        version_file = self.home / "version"
        if version_file.exists():
            return
        if self.data.exists():
            shutil.rmtree(self.data)
        own_directory(self.data, self.account)
        password = self.home / "password"
        self.instance.write(password, self.instance.secret() + "\n")
        os.chown(password, -1, self.account.pw_gid)
        password.chmod(0o640)
        self._run(
            str(self.programs / "initdb"), "--pgdata", str(self.data), "--username", "martlet",
            "--pwfile", str(password), "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C.UTF-8",
            "--no-sync", "--no-instructions")
        password.unlink()
        version_file.write_text(self.programs.parent.name + "\n")

    def start(self) -> None:
        self.initialise()
        with open(self.home / "server.log", "ab") as log:
            self.process = spawn(
                # Tests run concurrently, and each opens several connections to its own database.
                [str(self.programs / "postgres"), "-D", str(self.data), "-p", str(self.port),
                 # Commits may wait for a standby, which must reconnect quickly.
                 "-c", "wal_retrieve_retry_interval=200ms", "-c", "max_connections=500", "-c", "listen_addresses=127.0.0.1",
                 "-c", "unix_socket_directories=", "-c", "logging_collector=off",
                 "-c", f"fsync={'on' if self.instance.fsync else 'off'}"],
                self.account, on_parent_death=signal.SIGQUIT, stdout=log, stderr=log, env=self._environment(), cwd="/",
                pass_fds=(self.lock,))

    def follow(self, other: "Postgres") -> None:
        """Starts this server as a standby of another one, with a copy of the other's data. Its own data is deleted."""
        self.stop()
        version_file = self.home / "version"
        version_file.unlink(missing_ok=True)
        if self.data.exists():
            shutil.rmtree(self.data)
        own_directory(self.data, self.account)
        self._run(
            str(self.programs / "pg_basebackup"), "-h", "127.0.0.1", "-p", str(other.port), "-U", "martlet",
            "-D", str(self.data), "--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync")
        version_file.write_text(self.programs.parent.name + "\n")
        self.start()

    def is_ready(self) -> bool:
        if self.process is None or self.process.poll() is not None:
            raise Refusal(f"PostgreSQL ended while starting; see {self.home}/server.log")
        answer = subprocess.run(
            [str(self.programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)], cwd="/")
        return answer.returncode == 0

    def create_database(self) -> None:
        at = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "martlet"]
        marker = self.home / "database"
        if not marker.exists():
            self._run(str(self.programs / "dropdb"), *at, "--if-exists", "martlet")
            self._run(str(self.programs / "createdb"), *at, "martlet")
            marker.touch()

    def stop(self) -> None:
        if self.process is not None:
            # SIGINT is PostgreSQL's fast shutdown, which does not wait for clients (postgres(1)).
            stop(self.process, signal.SIGINT, self.stop_patience)

    def close(self) -> None:
        self.stop()
