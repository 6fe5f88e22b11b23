"""Compares other projects' clients with Martlet's worker: the same pushes to the same simulators, each in its own process."""
import json
import os
import pathlib
import statistics
import subprocess
import time
import typing
import urllib.parse
import urllib.request

import browsers
import firebase
import measure
from support.local_services.processes import answers, free_port
from support.orchestration import MARTLET, SIMULATOR, Failure, end
from report import Table
from support.venvs import environment, programs
from workload import KEY_ID, PAYLOAD, TEAM, token

CLIENTS = pathlib.Path(__file__).resolve().parent / "clients"
APP = "com.example.peers"
# The number of recipients for each service, and the number in each of Martlet's jobs. Jobs of this size are not split.
COUNTS, JOB = {"apns": 20_000, "fcm": 5_000, "webpush": 5_000}, 500
# The time limits of one client's installation and of one of its rounds, in seconds.
TO_INSTALL, TO_SEND = 180, 120


class Peer(typing.NamedTuple):
    name: str
    service: str
    script: str
    packages: tuple[str, ...]
    how: str
    wish: dict = {}


# aioapns waits for a second when a connection's window is full, so its number of concurrent pushes is what fits into
# the window.
PEERS = (
    Peer("aioapns 4.0", "apns", "send_aioapns.py", ("aioapns==4.0",), "asyncio, 150 under way", {"under_way": 150}),
    Peer("PyAPNs2 0.7.2", "apns", "send_apns2.py", ("apns2==0.7.2", "cryptography<42", "setuptools<81"),
         "send_notification_batch, as many streams as allowed"),
    Peer("firebase-admin 7.7.0", "fcm", "send_firebase.py", ("firebase-admin==7.7.0",),
         "send_each_async, 500 at a time", {"asynchronous": True}),
    Peer("firebase-admin 7.7.0", "fcm", "send_firebase.py", ("firebase-admin==7.7.0",), "send_each, 500 at a time, a thread each",
         {"asynchronous": False}),
    Peer("pywebpush 2.5.0", "webpush", "send_pywebpush.py", ("pywebpush==2.5.0",), "webpush_async, one session, 50 under way",
         {"under_way": 50}),
)
NOTES = (
    "A client only sends pushes and returns the answers. Martlet's lines are a whole worker: it consumes each job from RabbitMQ, "
    "validates it, looks up app, credential and dead tokens, sends, settles, and publishes an outcome for each recipient; a "
    "crash loses no push. The clients' lines do not include what an application adds to a client for that (queue, retries, bookkeeping). "
    "Martlet's lines do not include the CPU of RabbitMQ and PostgreSQL.",
    "The clients are Python, one process on one core. More processes raise their rate, but a push costs the same. Martlet is compiled, "
    "and the number of its threads is not limited.",
    "Each figure covers the time from the first answered push to the last answer, for Martlet from publishing the jobs to the last "
    "outcome. Starting, connecting and logging in are not included. CPU is user and system time of the process.",
    "The simulators answer at once and share the machine's cores with the senders, so a rate describes this machine with both. Over a "
    "network the rates differ, while the CPU time of a push stays comparable.",
    "pywebpush signs a VAPID token for each message, Martlet one for each push service and app; both encrypt each message separately.",
)


def cpu_seconds(pid: int) -> float:
    """Returns the CPU time of a running process from its clock (clock_getcpuclockid(3)), which is exact to the nanosecond. It
    includes the threads that have ended."""
    return time.clock_gettime((~pid << 3) | 2)


def last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no output")[:200]


class Service:
    """A simulator with its targets and settings. Martlet's app has an account for each service."""

    def __init__(self, bench, name: str):
        self.bench, self.name, self.process = bench, name, None
        self.count = bench.scaled(COUNTS[name])
        self.directory = bench.run.directory / f"peers-{name}"
        self.directory.mkdir(exist_ok=True)
        getattr(self, f"start_{name}")()

    def martlet(self, *command) -> str:
        return self.bench.run.output([MARTLET, *command, "--config", self.bench.config])

    def start(self, *options) -> None:
        bench, ca = self.bench, self.directory / "ca.pem"
        self.control = free_port(None, bench.taken)
        self.process = bench.run.start(f"peers-{self.name}-simulator", [
            SIMULATOR, self.name, "--port", self.port, "--control-port", self.control, "--directory", self.directory, *options])
        bench.run.wait_for(f"the simulator of {self.name} is up", lambda: ca.exists() and answers(self.control), 20)
        self.wish["ca"] = str(ca)

    def start_apns(self) -> None:
        bench = self.bench
        self.port, self.control, self.settings = bench.port, bench.control, ()
        self.martlet("app", "set", APP, "--team", TEAM, "--environment", "production")
        tokens = [token(number) for number in range(self.count + 1)]
        self.payload, self.targets = json.loads(PAYLOAD), tokens
        self.wish = {"ca": str(bench.ca), "key": str(bench.key), "key_id": KEY_ID, "team": TEAM, "topic": APP}

    def start_fcm(self) -> None:
        self.wish, self.port = {}, free_port(None, self.bench.taken)
        self.start("--quota", 1_000_000_000)
        file = self.directory / "service-account.json"
        account = json.loads(file.read_text())
        self.martlet("app", "set", APP, "--project", account["project_id"])
        tokens = f"fcm.token_endpoint={urllib.parse.urlsplit(account['token_uri']).netloc}"
        self.martlet("credential", "import", file, "--output", "fcm", "--set", tokens)
        self.payload = json.loads(firebase.PAYLOAD)
        self.targets = [f"peer{number:08}:APA91b{'x' * 120}" for number in range(self.count + 1)]
        self.wish["account"] = str(file)
        self.settings = (f"fcm.endpoint=127.0.0.1:{self.port}", f"fcm.ca_file={self.wish['ca']}", "fcm.quota_per_minute=1000000000",
                         tokens)

    def start_webpush(self) -> None:
        self.wish, self.port = {}, browsers.free_ports(self.bench.taken, 4)
        self.start()
        created = json.loads(self.martlet("credential", "create", "--vapid", "peers", "--subject", "mailto:bench@yourdomain.com", "--json"))
        self.martlet("app", "set", APP, "--vapid", "peers")
        wish = {"persona": "google", "application_server_key": created["shown"]["application_server_key"], "count": self.count + 1}
        request = urllib.request.Request(f"http://127.0.0.1:{self.control}/subscriptions", data=json.dumps(wish).encode())
        with urllib.request.urlopen(request, timeout=60) as answer:
            self.targets = [{"subscription": subscription} for subscription in json.load(answer)]
        self.payload = json.loads(browsers.PAYLOAD)
        self.settings = (f"webpush.private_hosts={self.targets[0]['subscription']['endpoint'].split('/')[2]}",
                         f"webpush.ca_file={self.wish['ca']}")

    def end(self) -> None:
        if self.process:
            end(self.process)
            self.bench.run.background = [entry for entry in self.bench.run.background if entry[1] is not self.process]

    def accepted(self) -> int:
        """Returns the number of accepted pushes, as counted by the simulator."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.control}/counters", timeout=5) as answer:
            statuses = json.load(answer)["by_status"]
        return statuses.get("200", 0) + statuses.get("201", 0)

    def file_for(self, peer: Peer) -> dict:
        """Returns the parameters for the script. For Web Push they contain no subscriptions, because the script creates
        subscriptions for its own key."""
        wish = {**self.wish, **peer.wish, "port": self.port, "control": self.control, "count": self.count}
        if self.name == "webpush":
            return {**wish, "payload": browsers.PAYLOAD}
        return {**wish, "payload": self.payload, "first": self.targets[0], "targets": self.targets[1:]}

    def send_by(self, peer: Peer, python: pathlib.Path) -> dict:
        log = self.directory / f"{peer.script}.log"
        told = self.directory / f"{peer.script}.json"
        told.write_text(json.dumps(self.file_for(peer)))
        with open(log, "wb") as output:
            process = self.bench.run.popen([python, CLIENTS / peer.script, told], env=environment(), stdout=subprocess.PIPE,
                                           stderr=output, text=True)
            try:
                text, _ = process.communicate(timeout=TO_SEND)
            except subprocess.TimeoutExpired:
                raise Failure(f"not done within {TO_SEND} s") from None
            finally:
                end(process)
        if process.returncode != 0:
            raise Failure(last_line(log.read_text(errors="replace")))
        return json.loads(last_line(text))

    def send_by_martlet(self) -> dict:
        bench = self.bench
        first, *jobs = [self.targets[:1], *(self.targets[at:at + JOB] for at in range(1, len(self.targets), JOB))]
        jobs = [self.job(number, recipients) for number, recipients in enumerate(jobs)]
        bench.broker.bind_sink("bench.outcomes")
        worker = bench.start_worker(*self.settings)
        bench.broker.publish("normal", self.job("first", first))
        bench.broker.count_outcomes("bench.outcomes", 1, bench.run.check_background, 60)
        began, cpu = time.monotonic(), cpu_seconds(worker.pid)
        before = self.accepted()
        for body in jobs:
            bench.broker.publish("normal", body)
        bench.broker.count_outcomes("bench.outcomes", self.count, bench.run.check_background, TO_SEND)
        result = {"seconds": time.monotonic() - began, "cpu_seconds": cpu_seconds(worker.pid) - cpu,
                  "accepted": self.accepted() - before, "peak_mb": measure.peak_memory_mb(worker.pid)}
        bench.stop_worker(worker)
        bench.broker.unbind_sink("bench.outcomes")
        return result

    def job(self, name, recipients: list) -> bytes:
        return json.dumps({"id": f"peers-{os.getpid()}-{name}", "app": APP, "output": self.name, "payload": self.payload,
                           "recipients": recipients}, separators=(",", ":")).encode()


class Line:
    """A line of the table."""

    def __init__(self, name: str, service: Service, how: str):
        self.name, self.service, self.how, self.results, self.trouble = name, service, how, [], ""

    def add(self, result: dict) -> None:
        if result["accepted"] != self.service.count:
            raise Failure(f"{result['accepted']} of {self.service.count} pushes were accepted")
        self.results.append(result)

    def attempt(self, work) -> None:
        """Runs a round of the client. If it fails, the line shows the reason, and later rounds are skipped."""
        if self.trouble:
            return
        try:
            self.add(work())
        except (Failure, OSError, ValueError, subprocess.SubprocessError) as error:
            self.trouble = last_line(str(error))
            self.service.bench.run.step(f"{self.name}: {self.trouble}")

    def cpu(self) -> float:
        return statistics.median(result["cpu_seconds"] for result in self.results) / self.service.count * 1e6

    def cells(self, ours: "Line") -> tuple[str, ...]:
        what = (self.service.name, self.name, self.how, str(self.service.count))
        if self.trouble:
            return (*what, "", "", "", f"not measured: {self.trouble}")
        rate = statistics.median(self.service.count / result["seconds"] for result in self.results)
        peak = max(result["peak_mb"] for result in self.results)
        times = "1.0" if self is ours else f"{self.cpu() / ours.cpu():.1f}" if ours.results else ""
        return (*what, f"{rate:.0f}", f"{self.cpu():.1f}", times, f"{peak:.0f} MB")


def python_for(peer: Peer) -> pathlib.Path:
    try:
        return programs(f"bench-{peer.script.removesuffix('.py')}", list(peer.packages), within=TO_INSTALL) / "python3"
    except (OSError, subprocess.SubprocessError):
        raise Failure(f"pip could not install {' '.join(peer.packages)} within {TO_INSTALL} s") from None


def measure_peers(bench) -> None:
    head = ("service", "sender", "how", "pushes", "pushes a second", "CPU µs a push", "× Martlet's CPU", "peak memory")
    rows = []
    for name in COUNTS:
        service = Service(bench, name)
        ours = Line("Martlet, whole worker", service, f"jobs of {min(JOB, service.count)}, default settings")
        peers = [(Line(peer.name, service, peer.how), peer) for peer in PEERS if peer.service == name]
        for number in range(bench.rounds):
            for line, peer in peers:
                bench.run.step(f"{service.count} pushes to {name} by {peer.name}, {peer.how}, round {number + 1} of {bench.rounds}")
                line.attempt(lambda peer=peer: service.send_by(peer, python_for(peer)))
            bench.run.step(f"{service.count} pushes to {name} by Martlet, round {number + 1} of {bench.rounds}")
            ours.add(service.send_by_martlet())
        service.end()
        rows += [line.cells(ours) for line in (ours, *(line for line, _ in peers))]
    bench.tables.append(Table("peers", head, rows, NOTES))
