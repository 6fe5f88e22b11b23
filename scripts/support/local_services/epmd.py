"""The port mapper of an instance's RabbitMQ nodes, which is separate from that of the system."""
import pwd
import signal
import subprocess

from .instance import Refusal
from .processes import answers, free_port, spawn, stop, wait_for


class Epmd:
    def __init__(self, account: pwd.struct_passwd, lock: int, ports: dict, taken: set[int]):
        self.account = account
        self.lock = lock
        self.ports = {"epmd": free_port(ports.get("epmd"), taken)}
        self.process: subprocess.Popen | None = None

    @property
    def port(self) -> int:
        return self.ports["epmd"]

    def start(self) -> None:
        if self.process is not None and self.process.poll() is None:
            return
        self.process = spawn(
            ["/usr/bin/epmd", "-port", str(self.port), "-address", "127.0.0.1"], self.account,
            on_parent_death=signal.SIGKILL, env={"PATH": "/usr/bin:/bin"}, cwd="/", pass_fds=(self.lock,),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Without a port mapper a node would start one itself, which would never be stopped.
        if not wait_for(lambda: answers(self.port), 10):
            raise Refusal(f"epmd does not answer on 127.0.0.1:{self.port}")

    def close(self) -> None:
        if self.process is not None:
            stop(self.process, signal.SIGTERM, 2)
