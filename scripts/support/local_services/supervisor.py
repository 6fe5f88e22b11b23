"""The process that `up` leaves running. It is the parent of both servers and stops them."""
import json
import os
import select
import signal
import sys
import time

from .epmd import Epmd
from .instance import Instance, Refusal, service_account
from .postgres import Postgres
from .processes import identity
from .rabbitmq import RabbitMQ, server_name


# The interval of checks whether the servers' directory was deleted, in seconds. If it was, the servers stop.
DELETION_CHECK_INTERVAL = 2.0


class Stop(Exception):
    """Raised by a signal, or when the process to which the servers are tied has ended."""


class Supervisor:
    def __init__(self, instance: Instance, lock: int, owner: int | None, nodes: int, settings: list[str],
                 standby: bool):
        self.instance = instance
        self.owner = identity(owner) if owner else None
        self.owner_end = os.pidfd_open(owner) if owner else None
        ports = {}
        if instance.ports_file.exists():
            ports = json.loads(instance.ports_file.read_text())
        taken: set[int] = set()
        self.epmd = Epmd(service_account("rabbitmq"), lock, ports, taken)
        self.nodes = [RabbitMQ(instance, lock, self.epmd, number, ports, taken, settings)
                      for number in range(1, nodes + 1)]
        for node in self.nodes:
            node.members = [member.node for member in self.nodes]
        self.servers = {node.name: node for node in self.nodes}
        self.databases = [Postgres(instance, lock, ports, taken, number) for number in range(1, 3 if standby else 2)]
        self.servers |= {database.name: database for database in self.databases}
        instance.write(instance.ports_file, json.dumps(
            {name: port for server in [self.epmd, *self.servers.values()] for name, port in server.ports.items()}) + "\n")

    def publish(self, phase: str, message: str = "") -> None:
        """Writes the state that the other commands read."""
        self.instance.write(self.instance.state_file, json.dumps({
            "phase": phase, "message": message, "supervisor": identity(os.getpid()), "owner": self.owner,
            "servers": {
                name: {"ports": server.ports, "process": identity(server.process.pid) if server.process else None}
                for name, server in self.servers.items()
            },
            "epmd": identity(self.epmd.process.pid) if self.epmd.process else None,
        }, indent=1) + "\n")

    def publish_environment(self) -> None:
        values = {
            "MARTLET_TEST_AMQP_URL": self.nodes[0].url, "MARTLET_TEST_WORKER_AMQP_URL": self.nodes[0].worker_url,
            "MARTLET_TEST_DATABASE_URL": self.servers["postgres"].url}
        for name, server in self.servers.items():
            variable = f"LOCAL_{name.upper().replace('-', '_')}"
            values |= {f"{variable}_PORT": server.port, f"{variable}_PID": server.process.pid}
        self.instance.write(
            self.instance.env_file, "".join(f"{name}={value}\n" for name, value in values.items()))

    def wait_until_ready(self, name: str) -> None:
        server = self.servers[name]
        deadline = time.monotonic() + server.start_limit
        while not server.is_ready():
            if time.monotonic() > deadline:
                raise Refusal(f"{name} did not answer within {server.start_limit:.0f} s")
            self.wait(0.1)
        if name == "postgres":
            server.create_database()

    def start_all(self) -> None:
        # The node takes longest to start, so PostgreSQL's cluster is created in the meantime.
        for name in ("rabbitmq", "postgres"):
            self.servers[name].start()
            self.publish("starting")
        for name in ("postgres", "rabbitmq"):
            self.wait_until_ready(name)
            if name == "postgres":
                for standby in self.databases[1:]:
                    self.follow(standby)
                    self.publish("starting")
        # The other nodes join the first, one after the other.
        for node in self.nodes[1:]:
            node.start()
            self.publish("starting")
            self.wait_until_ready(node.name)
        self.publish_environment()
        self.publish("ready")

    def follow(self, standby: Postgres) -> None:
        """Makes a PostgreSQL server the standby of the other one."""
        standby.follow(next(database for database in self.databases if database is not standby))
        self.wait_until_ready(standby.name)

    def wait(self, seconds: float | None) -> None:
        """Sleeps. Raises Stop if the owner ends. Signals raise exceptions or interrupt the sleep."""
        watched = [self.owner_end] if self.owner_end is not None else []
        if select.select(watched, [], [], seconds)[0]:
            raise Stop("the process that the servers were tied to has ended")

    def obey(self) -> None:
        """Carries out the client's command in the control file. Removes the file when it is done."""
        try:
            action, name = self.instance.control_file.read_text().split()
        except OSError:
            return
        server = self.servers[name]
        if action == "follow":
            self.follow(server)
        if action in ("stop", "restart"):
            server.stop()
        if action in ("start", "restart") and (server.process is None or server.process.poll() is not None):
            server.start()
            self.wait_until_ready(name)
        self.publish_environment()
        self.publish("ready")
        self.instance.control_file.unlink(missing_ok=True)

    def close(self) -> None:
        for server in [*self.servers.values(), self.epmd]:
            server.close()


def run(instance: Instance, lock: int, owner: int | None, nodes: int, settings: list[str],
        standby: bool) -> int:
    def stop(number: int, _frame) -> None:
        raise Stop(signal.Signals(number).name)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, lambda *_: None)
    wakeup, notify = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(notify)

    supervisor = None
    failure = ""
    try:
        supervisor = Supervisor(instance, lock, owner, nodes, settings, standby)
        supervisor.start_all()
        watched = [wakeup] + ([supervisor.owner_end] if supervisor.owner_end is not None else [])
        while True:
            supervisor.obey()
            readable = select.select(watched, [], [], DELETION_CHECK_INTERVAL)[0]
            if wakeup in readable:
                os.read(wakeup, 4096)
            if supervisor.owner_end in readable:
                raise Stop("the process that the servers were tied to has ended")
            if not instance.lock_file.exists():
                raise Stop("the directory was deleted")
    except Stop as reason:
        print(f"stopping: {reason}", flush=True)
    except ProcessLookupError:
        failure = f"there is no process {owner} to tie the servers to"
    except (Refusal, OSError) as error:
        failure = str(error)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if supervisor:
            supervisor.close()
        if instance.lock_file.exists():
            instance.forget_state()
        if failure and instance.directory.exists():
            instance.write(instance.state_file, json.dumps({"phase": "failed", "message": failure}) + "\n")
            print(failure, file=sys.stderr, flush=True)
    return 1 if failure else 0
