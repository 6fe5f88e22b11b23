"""Measures CPU time, memory and queue lengths from outside, in the same way for every program."""
import base64
import json
import os
import pathlib
import subprocess
import time

import pika

TICK = os.sysconf("SC_CLK_TCK")


def status(pid: int) -> list[str]:
    """Returns the fields of /proc/PID/stat from the third field on (proc(5))."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def cpu_seconds(pid: int) -> float:
    """Returns the user and system time of a running process, in seconds."""
    return sum(int(field) for field in status(pid)[11:13]) / TICK


def cpu_seconds_of_server(pid: int) -> float:
    """Returns the CPU seconds of a process and its children, including children that have ended."""
    ticks = sum(int(field) for field in status(pid)[11:15])
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = status(int(entry.name))
        except FileNotFoundError:
            continue
        if int(fields[1]) == pid:
            ticks += sum(int(field) for field in fields[11:13])
    return ticks / TICK


def memory_mb(pid: int, field: str = "VmRSS") -> float:
    """Returns a memory value of proc(5) in MB. VmRSS is the resident memory, VmHWM its peak."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise ValueError(f"process {pid} has no {field}")


def peak_memory_mb(pid: int) -> float:
    return memory_mb(pid, "VmHWM")


def cpu_of_run(process: subprocess.Popen) -> float:
    """Waits for the process and returns the CPU seconds that it used. Raises an error if it failed."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{process.args[0]} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def provider_token(team: str, key_id: str, key: pathlib.Path) -> str:
    """Returns an APNs provider token: a JWT signed with ES256 (RFC 7515, RFC 7518 section 3.4), made with openssl."""
    def encode(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    text = ".".join(encode(json.dumps(part).encode()) for part in (
        {"alg": "ES256", "kid": key_id}, {"iss": team, "iat": int(time.time())}))
    der = subprocess.run(
        ["openssl", "dgst", "-sha256", "-sign", str(key)], input=text.encode(), capture_output=True, check=True).stdout
    # The signature is DER: SEQUENCE { INTEGER r, INTEGER s }. A JWS needs both numbers as 32 bytes each.
    numbers, place = [], 2
    for _ in range(2):
        length = der[place + 1]
        numbers.append(int.from_bytes(der[place + 2:place + 2 + length], "big").to_bytes(32, "big"))
        place += 2 + length
    return f"{text}.{encode(b''.join(numbers))}"


class Broker:
    def __init__(self, url: str):
        parameters = pika.URLParameters(url)
        # Heartbeats are off because this client does not answer them while it measures something else.
        parameters.heartbeat = 0
        self.connection = pika.BlockingConnection(parameters)
        self.channel = self.connection.channel()

    def depth(self, *queues: str) -> int:
        """Returns the number of messages that are ready for delivery."""
        return sum(self.channel.queue_declare(queue, passive=True).method.message_count for queue in queues)

    def fill(self, lane: str, bodies, count: int) -> None:
        """Publishes to an idle lane and waits until the queue holds all messages."""
        for body in bodies:
            self.publish(lane, body)
        while self.depth(f"martlet.jobs.{lane}") < count:
            time.sleep(0.02)

    def publish(self, lane: str, body: bytes) -> None:
        properties = pika.BasicProperties(content_type="application/json", delivery_mode=2)
        self.channel.basic_publish("martlet.jobs", lane, body, properties)

    def bind_sink(self, queue: str, **arguments) -> None:
        self.channel.queue_declare(queue, durable=True, arguments=arguments)
        self.channel.queue_bind(queue, "martlet.results", "#")

    def unbind_sink(self, queue: str) -> None:
        self.channel.queue_delete(queue)

    def drain_rate(self, queues: tuple[str, ...], count: int, alive, limit: float) -> float:
        """Returns the messages per second while the total length of the queues falls from nine tenths of `count` to one
        tenth."""
        high, low = int(count * 0.9), int(count * 0.1)
        deadline = time.monotonic() + limit
        began = None
        while True:
            alive()
            depth, at = self.depth(*queues), time.monotonic()
            if began is None and depth <= high:
                began = (depth, at)
            if depth <= low:
                return (began[0] - depth) / (at - began[1]) if at > began[1] else float("inf")
            if at > deadline:
                raise RuntimeError(f"{', '.join(queues)} still hold {depth} messages after {limit:.0f} s")
            time.sleep(0.005)

    def count_outcomes(self, queue: str, count: int, alive, limit: float) -> None:
        """Consumes result events until they have reported `count` outcomes."""
        seen, deadline, shown = 0, time.monotonic() + limit, time.monotonic()
        for method, _, body in self.channel.consume(queue, auto_ack=True, inactivity_timeout=1):
            alive()
            if method is not None:
                seen += body.count(b'"recipient":')
            if time.monotonic() - shown > 10:
                shown = time.monotonic()
                print(f"          {seen} of {count} outcomes", flush=True)
            if seen >= count:
                break
            if time.monotonic() > deadline:
                raise RuntimeError(f"{seen} of {count} outcomes after {limit:.0f} s")
        self.channel.cancel()
