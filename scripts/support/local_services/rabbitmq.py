"""A private RabbitMQ node that listens on loopback, with its own name, data and logs. Several nodes form a cluster."""
import contextlib
import json
import os
import pathlib
import pwd
import re
import signal
import socket
import subprocess

from .epmd import Epmd
from .instance import ROOT, Instance, Refusal, own_directory
from .processes import free_port, spawn, stop

# The root directory whose RabbitMQ is used. The root of another Debian has another version. Needs root unless it is "/".
BROKER_ROOT = pathlib.Path(os.environ.get("LOCAL_RABBITMQ_ROOT", "/"))
SERVER = pathlib.Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
# Runs the server of another root in its own mount namespace, under the same pid. The arguments are the root, the server's
# files, its user and its group. /tmp has the files that tests pass to the server, such as certificates.
IN_ROOT = """\
mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount --bind /tmp "$1/tmp" &&
mkdir -p "$1$2" && mount --bind "$2" "$1$2" &&
exec chroot "$1" setpriv --reuid "$3" --regid "$4" --clear-groups --pdeathsig KILL """ + str(SERVER)


def below_root(path: pathlib.Path) -> pathlib.Path:
    return BROKER_ROOT / path.relative_to("/")


def fsync_does_nothing() -> str:
    """Returns a library that makes fsync do nothing. The broker has no setting for this."""
    for path in sorted(below_root(pathlib.Path("/usr/lib")).glob("*-linux-gnu*/libeatmydata.so")):
        return str(pathlib.Path("/") / path.relative_to(BROKER_ROOT))
    raise Refusal(f"there is no libeatmydata.so under {BROKER_ROOT / 'usr/lib'}; run scripts/install")


def documented_rights() -> tuple[str, str, str]:
    """Returns the rights to configure, write and read that docs/brokers.md recommends for a worker, and no others."""
    told = re.search(
        r"set_permissions -p / martlet-worker '(.*)' '(.*)' '(.*)'", (ROOT / "docs" / "brokers.md").read_text())
    if not told:
        raise Refusal("docs/brokers.md does not say which rights the user martlet-worker needs")
    return told.groups()


def server_name(number: int) -> str:
    """Returns the name of a node in commands, files and variables. The first node has no number."""
    return "rabbitmq" if number == 1 else f"rabbitmq-{number}"


class RabbitMQ:
    start_limit = 60.0
    # A stopping node first flushes its queues.
    stop_patience = 20.0

    def __init__(self, instance: Instance, lock: int, epmd: Epmd, number: int, ports: dict, taken: set[int],
                 settings: list[str]):
        if not below_root(SERVER).exists():
            raise Refusal(f"{below_root(SERVER)} is missing; run scripts/install")
        if BROKER_ROOT != pathlib.Path("/") and os.geteuid() != 0:
            raise Refusal("LOCAL_RABBITMQ_ROOT needs root")
        self.instance = instance
        self.lock = lock
        self.epmd = epmd
        self.settings = settings
        self.account = epmd.account
        self.name = server_name(number)
        suffix = "" if number == 1 else f"-{number}"
        self.node = f"martlet-{instance.name}{suffix}@localhost"
        # The nodes of the cluster, including this one.
        self.members = [self.node]
        self.home = instance.home(self.name, self.account)
        self.use = {name: f"{name}{suffix}" for name in ("amqp", "distribution")}
        self.ports = {use: free_port(ports.get(use), taken) for use in self.use.values()}
        self.process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        return f"amqp://martlet:{self.instance.secret()}@127.0.0.1:{self.port}/"

    @property
    def worker_url(self) -> str:
        """The URL of a user who has only the documented rights."""
        return f"amqp://martlet-worker:{self.instance.secret()}@127.0.0.1:{self.port}/"

    @property
    def port(self) -> int:
        return self.ports[self.use["amqp"]]

    def _configure(self) -> dict[str, str]:
        data, logs, home = (own_directory(self.home / name, self.account) for name in ("data", "log", "home"))
        self._write_cookie(home / ".erlang.cookie")
        configuration = self.home / "rabbitmq.conf"
        self.instance.write(configuration, "\n".join([
            f"listeners.tcp.local = 127.0.0.1:{self.port}",
            f"load_definitions = {self._define()}",
            "disk_free_limit.absolute = 50MB",
            "raft.wal_max_size_bytes = 64000000",
            *self._cluster(),
            *(setting.replace("=", " = ", 1) for setting in self.settings),
            "",
        ]))
        os.chown(configuration, -1, self.account.pw_gid)
        configuration.chmod(0o640)
        plugins = self.home / "enabled_plugins"
        plugins.write_text("[].\n")
        return {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "LANG": "C.UTF-8",
            "HOME": str(home),
            "ERL_EPMD_PORT": str(self.epmd.port),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": self.node,
            "RABBITMQ_CONF_ENV_FILE": str(self.home / "no-rabbitmq-env.conf"),
            "RABBITMQ_CONFIG_FILE": str(configuration),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(plugins),
            "RABBITMQ_MNESIA_BASE": str(data),
            "RABBITMQ_LOG_BASE": str(logs),
            "RABBITMQ_PID_FILE": str(data / "pid"),
            "RABBITMQ_DIST_PORT": str(self.ports[self.use["distribution"]]),
            # Without this setting, the start script would keep running as a shell, and the pid would not be that of the
            # node.
            "RABBITMQ_ALLOW_INPUT": "1",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS":
                "-noinput -start_epmd false -kernel inet_dist_use_interface {127,0,0,1}",
            **({} if self.instance.fsync else {"LD_PRELOAD": fsync_does_nothing()}),
        }

    def _define(self) -> pathlib.Path:
        """Writes the users and their rights."""
        def rights(user: str, configure: str, write: str, read: str) -> dict:
            return {"user": user, "vhost": "/", "configure": configure, "write": write, "read": read}

        password = self.instance.secret()
        file = self.home / "definitions.json"
        self.instance.write(file, json.dumps({
            "vhosts": [{"name": "/"}],
            "users": [{"name": "martlet", "password": password, "tags": "administrator"},
                      {"name": "martlet-worker", "password": password, "tags": ""}],
            "permissions": [rights("martlet", ".*", ".*", ".*"), rights("martlet-worker", *documented_rights())],
        }))
        os.chown(file, -1, self.account.pw_gid)
        file.chmod(0o640)
        return file

    def _cluster(self) -> list[str]:
        if len(self.members) == 1:
            return []
        lines = ["queue_leader_locator = balanced"]
        # The first node starts alone, and the others join it. With peer discovery it would wait for them, because a new
        # node of RabbitMQ 4 or later tries to reach every node in the list before it becomes the first one.
        if self.node != self.members[0]:
            lines.append("cluster_formation.peer_discovery_backend = classic_config")
            lines += [f"cluster_formation.classic_config.nodes.{index} = {node}"
                      for index, node in enumerate((self.members[0], self.node), 1)]
        return lines

    def _write_cookie(self, file: pathlib.Path) -> None:
        """Writes the Erlang cookie, which all nodes of a cluster share."""
        if not file.exists():
            self.instance.write(file, self.instance.secret())
            os.chown(file, self.account.pw_uid, self.account.pw_gid)
            file.chmod(0o400)

    def start(self) -> None:
        environment = self._configure()
        options = {"env": environment, "cwd": "/", "pass_fds": (self.lock,)}
        self.epmd.start()
        # If the supervisor dies, the kernel kills the node with SIGKILL, which it can't ignore. The node recovers at
        # its next start.
        with open(self.home / "server.log", "ab") as log:
            self.process = spawn(
                self._command(), pwd.getpwuid(os.geteuid()) if BROKER_ROOT != pathlib.Path("/") else self.account,
                on_parent_death=signal.SIGKILL, stdout=log, stderr=log, **options)

    def _command(self) -> list[str]:
        if BROKER_ROOT == pathlib.Path("/"):
            return [str(SERVER)]
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", IN_ROOT, "sh",
                str(BROKER_ROOT), str(self.home), str(self.account.pw_uid), str(self.account.pw_gid)]

    def is_ready(self) -> bool:
        """Returns whether the broker answers the protocol header with Connection.Start (AMQP 0-9-1, 2.2.4)."""
        if self.process is None or self.process.poll() is not None:
            raise Refusal(f"RabbitMQ ended while starting; see {self.home}/server.log and log/")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as probe:
            probe.settimeout(5)
            probe.sendall(b"AMQP\x00\x00\x09\x01")
            return probe.recv(1) == b"\x01"
        return False

    def stop(self) -> None:
        if self.process is not None:
            stop(self.process, signal.SIGTERM, self.stop_patience)

    def close(self) -> None:
        self.stop()
