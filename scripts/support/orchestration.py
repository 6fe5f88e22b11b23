"""Shared code of examples/demo/run, Tests/Benchmarks/run and scripts/test: steps, processes and private servers that end with the script.

The kernel signals every process started here when the script ends, even by SIGKILL. The private servers are tied to the
script's pid (scripts/services up --while).
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

from .local_services.processes import dies_with_parent

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / ".build" / "release"
MARTLET, SIMULATOR = RELEASE / "martlet", RELEASE / "martlet-simulator"


class Failure(Exception):
    """An error of a step, with a message for the user."""


class Interrupted(Exception):
    pass


class Run:
    """A run of a script. Use it as a context manager, which always stops everything that the run started."""

    def __init__(self, title: str, instance: str, fsync: bool = True):
        self.title = title
        self.services = [
            str(ROOT / "scripts" / "services"), *(["--instance", instance] if instance else []),
            *([] if fsync else ["--no-fsync"])]
        self.directory = ROOT / ".local" / instance
        self.background: list[tuple[str, subprocess.Popen, pathlib.Path]] = []
        self.started = time.monotonic()
        self.environment = dict(os.environ)
        self.has_services = False

    def __enter__(self) -> "Run":
        def interrupt(number: int, _frame) -> None:
            for caught in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(caught, signal.SIG_IGN)
            raise Interrupted(signal.Signals(number).name)

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, interrupt)
        self.directory.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(self, kind, error, _trace) -> bool:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        if kind is not None and issubclass(kind, (Failure, Interrupted)):
            print(f"{self.title}: {error}", file=sys.stderr, flush=True)
        for _, process, _ in reversed(self.background):
            end(process)
        if self.has_services:
            subprocess.run([*self.services, "down", "--while", str(os.getpid())], stderr=subprocess.DEVNULL, check=False)
        if kind is not None and issubclass(kind, (Failure, Interrupted)):
            sys.exit(1 if kind is Failure else 130)
        return False

    def step(self, text: str) -> None:
        print(f"[{time.monotonic() - self.started:5.1f} s] {text}", flush=True)

    def start_services(self) -> None:
        """Starts new private servers for this run."""
        self.has_services = True
        self.run([*self.services, "up", "--fresh", "--while", str(os.getpid())])
        self.read_environment()

    def read_environment(self) -> None:
        for line in (self.directory / "services.env").read_text().splitlines():
            name, _, value = line.partition("=")
            self.environment[name] = value

    def build(self, *arguments: str, configuration: str = "release") -> None:
        # `swift build` stops its compilers only on SIGINT.
        command = ["swift", "build", "-c", configuration, *arguments]
        process = self.popen(command, on_parent_death=signal.SIGINT)
        if self.wait(process, signal.SIGINT) != 0:
            raise Failure(f"{describe(command)} failed")

    def run(self, command: list[str], **options) -> None:
        """Runs the command in the foreground, with this script's output."""
        code = self.wait(self.popen(command, **options))
        if code != 0:
            raise Failure(f"{describe(command)} ended with {code}")

    def output(self, command: list[str], **options) -> str:
        process = self.popen(command, stdout=subprocess.PIPE, text=True, **options)
        try:
            text, _ = process.communicate()
        except BaseException:
            end(process)
            raise
        if process.returncode != 0:
            raise Failure(f"{describe(command)} ended with {process.returncode}")
        return text

    def start(self, name: str, command: list[str], **options) -> subprocess.Popen:
        """Starts the command in the background, with its output in <directory>/<name>.log."""
        log = self.directory / f"{name}.log"
        with open(log, "wb") as output:
            process = self.popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
                                 **options)
        self.background.append((name, process, log))
        return process

    def check_background(self) -> None:
        for name, process, log in self.background:
            if process.poll() is not None:
                tail = "".join(log.read_text(errors="replace").splitlines(keepends=True)[-8:])
                raise Failure(f"{name} ended with {process.returncode} ({log.relative_to(ROOT)}):\n{tail}")

    def wait_for(self, what: str, condition, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            self.check_background()
            if time.monotonic() > deadline:
                raise Failure(f"{what}: not within {seconds:.0f} s")
            time.sleep(0.05)

    def popen(self, command: list[str], on_parent_death: int = signal.SIGTERM, **options) -> subprocess.Popen:
        options.setdefault("cwd", ROOT)
        options.setdefault("env", self.environment)
        return subprocess.Popen([str(part) for part in command], preexec_fn=dies_with_parent(on_parent_death), **options)

    def wait(self, process: subprocess.Popen, stop_signal: int = signal.SIGTERM) -> int:
        try:
            return process.wait()
        except BaseException:
            end(process, stop_signal)
            raise


def describe(command: list[str]) -> str:
    program = pathlib.Path(str(command[0]))
    name = str(program.relative_to(ROOT)) if program.is_relative_to(ROOT) else str(program)
    return " ".join([name, *(str(part) for part in command[1:])])


def end(process: subprocess.Popen, stop_signal: int = signal.SIGTERM, patience: float = 15) -> None:
    """Sends the signal, and kills the process if it takes too long. A worker drains on SIGTERM."""
    if process.poll() is None:
        process.send_signal(stop_signal)
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
