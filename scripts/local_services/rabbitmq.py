"""A RabbitMQ node of our own: loopback only, with its own epmd, name, cookie, data and logs."""
import contextlib
import os
import pathlib
import signal
import socket
import subprocess

from .instance import Instance, Refusal, own_directory, service_account
from .processes import answers, free_port, spawn, stop, wait_for

SERVER = pathlib.Path("/usr/lib/rabbitmq/bin/rabbitmq-server")


class RabbitMQ:
    start_limit = 60.0
    # A node asked to stop flushes its queues first.
    stop_patience = 20.0

    def __init__(self, instance: Instance, lock: int, ports: dict, taken: set[int]):
        if not SERVER.exists():
            raise Refusal(f"{SERVER} is missing; run scripts/install")
        self.instance = instance
        self.lock = lock
        self.account = service_account("rabbitmq")
        self.home = instance.home("rabbitmq", self.account)
        self.ports = {name: free_port(ports.get(name), taken) for name in ("amqp", "epmd", "distribution")}
        self.epmd: subprocess.Popen | None = None
        self.process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        return f"amqp://martlet:{self.instance.secret()}@127.0.0.1:{self.ports['amqp']}/"

    def _configure(self) -> dict[str, str]:
        data, logs, home = (own_directory(self.home / name, self.account) for name in ("data", "log", "home"))
        configuration = self.home / "rabbitmq.conf"
        self.instance.write(configuration, "\n".join([
            f"listeners.tcp.local = 127.0.0.1:{self.ports['amqp']}",
            "default_user = martlet",
            f"default_pass = {self.instance.secret()}",
            "disk_free_limit.absolute = 50MB",
            "raft.wal_max_size_bytes = 64000000",
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
            "ERL_EPMD_PORT": str(self.ports["epmd"]),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": f"martlet-{self.instance.name}@localhost",
            "RABBITMQ_CONF_ENV_FILE": str(self.home / "no-rabbitmq-env.conf"),
            "RABBITMQ_CONFIG_FILE": str(configuration),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(plugins),
            "RABBITMQ_MNESIA_BASE": str(data),
            "RABBITMQ_LOG_BASE": str(logs),
            "RABBITMQ_PID_FILE": str(data / "pid"),
            "RABBITMQ_DIST_PORT": str(self.ports["distribution"]),
            # Without this the script stays in between as a shell, and the pid would not be the node's.
            "RABBITMQ_ALLOW_INPUT": "1",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS":
                "-noinput -start_epmd false -kernel inet_dist_use_interface {127,0,0,1}",
        }

    def start(self) -> None:
        environment = self._configure()
        options = {"env": environment, "cwd": "/", "pass_fds": (self.lock,)}
        # SIGKILL on the supervisor's death: a node recovers from it, and it can't be ignored.
        if self.epmd is None or self.epmd.poll() is not None:
            self.epmd = spawn(
                ["/usr/bin/epmd", "-port", str(self.ports["epmd"]), "-address", "127.0.0.1"], self.account,
                on_parent_death=signal.SIGKILL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
            # Finding none, the node would start one of its own, which nobody stops.
            if not wait_for(lambda: answers(self.ports["epmd"]), 10):
                raise Refusal(f"epmd does not answer on 127.0.0.1:{self.ports['epmd']}")
        with open(self.home / "server.log", "ab") as log:
            self.process = spawn(
                [str(SERVER)], self.account, on_parent_death=signal.SIGKILL, stdout=log, stderr=log, **options)

    def is_ready(self) -> bool:
        """The broker answers the protocol header with Connection.Start (AMQP 0-9-1, 2.2.4)."""
        if self.process is None or self.process.poll() is not None:
            raise Refusal(f"RabbitMQ ended while starting; its last words are in {self.home}/server.log and log/")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.ports["amqp"]), 1) as probe:
            probe.settimeout(5)
            probe.sendall(b"AMQP\x00\x00\x09\x01")
            return probe.recv(1) == b"\x01"
        return False

    def stop(self) -> None:
        if self.process is not None:
            stop(self.process, signal.SIGTERM, self.stop_patience)

    def close(self) -> None:
        self.stop()
        if self.epmd is not None:
            stop(self.epmd, signal.SIGTERM, 2)
