"""A simulator in a separate process, and a client that can break every rule, because it writes HTTP/2 frames by hand."""
import contextlib
import json
import os
import re
import resource
import signal
import socket
import ssl
import struct
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

SIMULATOR = os.environ["SIMULATOR_COMMAND"]
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
TOKEN = "c2732227a1d8021cfaf781d71fb2f908c61f5861079a00954a5453f1d0281433"


class Simulator:
    """Runs `martlet-simulator` until the block ends."""

    def __init__(self, *options, descriptors=None, measured=False):
        self.folder = tempfile.TemporaryDirectory()
        self.errors = open(os.path.join(self.folder.name, "errors"), "w+")
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))) if descriptors else None
        environment = dict(os.environ)
        if measured:
            # The address sanitizer's quarantine of freed memory is disabled, because the test would count its growth as
            # the simulator's.
            environment["ASAN_OPTIONS"] = ":".join(filter(None, [
                environment.get("ASAN_OPTIONS"), "quarantine_size_mb=0:thread_local_quarantine_size_kb=0"]))
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", SIMULATOR, "--port", "0", "--control-port", "0",
             "--directory", os.path.join(self.folder.name, "simulator"), *options],
            stdout=subprocess.PIPE, stderr=self.errors, text=True, preexec_fn=limit, env=environment)
        line = self.process.stdout.readline()
        self.port = int(re.search(r"https://[^ ,]*:(\d+)", line)[1])
        self.control_port = int(re.search(r"control http://[^ ,]*:(\d+)", line)[1])
        self.ca = re.search(r"CA file ([^,\n]+)", line)[1]
        self.rest = []
        while not self.rest or "/3/device/" not in self.rest[-1]:
            self.rest.append(self.process.stdout.readline())
        self.greeting = "".join(self.rest)
        self.jwt = re.search(r"bearer ([^']+)'", self.greeting)[1]
        self.key_file = re.search(r", (\S+\.p8)", self.greeting)[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def stop(self, within=60):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(within)

    def control(self, method, path, body=None, headers=None):
        """Sends a request to the control endpoint. Returns the status, and the answer's JSON or text."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.control_port}/{path}", method=method,
            data=body if body is None or isinstance(body, bytes) else json.dumps(body).encode(), headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                status, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read().decode()
        return status, json.loads(text) if text.startswith(("{", "[")) else text

    def counters(self):
        return self.control("GET", "counters")[1]

    @property
    def log(self):
        self.errors.flush()
        with open(self.errors.name) as text:
            return text.read()

    @property
    def resident(self):
        """The resident memory in kilobytes. Valid for a simulator that is `measured`."""
        with open(f"/proc/{self.process.pid}/status") as text:
            return int(re.search(r"VmRSS:\s+(\d+)", text.read())[1])

    @property
    def processor_time(self):
        """The CPU time that the simulator has used, in seconds."""
        with open(f"/proc/{self.process.pid}/stat") as text:
            fields = text.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Client:
    """A connection that is used frame by frame."""

    def __init__(self, simulator, preface=True, alpn=True):
        context = ssl.create_default_context(cafile=simulator.ca)
        if alpn:
            context.set_alpn_protocols(["h2"])
        raw = socket.create_connection(("127.0.0.1", simulator.port), timeout=20)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = context.wrap_socket(raw, server_hostname="localhost")
        self.jwt = simulator.jwt
        self.buffer = b""
        self.next_stream = 1
        if preface:
            # The header table has size 0, so that the field list of each answer can be read on its own.
            self.socket.sendall(PREFACE + frame(SETTINGS, payload=bytes([0, 1, 0, 0, 0, 0])))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, *frames):
        self.socket.sendall(b"".join(frames))

    def stream(self):
        self.next_stream += 2
        return self.next_stream - 2

    def fields(self, **changes):
        """Returns the fields of a push that is accepted. In names of changes, underscores stand for hyphens. A value of None
        removes a field."""
        fields = {":method": "POST", ":scheme": "https", ":authority": "localhost", ":path": f"/3/device/{TOKEN}",
                  "authorization": f"bearer {self.jwt}", "apns-topic": "com.example.app", "apns-push-type": "alert"}
        fields.update({(f":{name[1:]}" if name[0] == "_" else name).replace("_", "-"): value
                       for name, value in changes.items()})
        return [(name, value) for name, value in fields.items() if value is not None]

    def push(self, extra=(), body=b'{"aps":{}}', trailers=None, **changes):
        """Begins a push and returns its stream."""
        stream = self.stream()
        block = hpack(self.fields(**changes) + list(extra))
        frames = [frame(HEADERS, END_HEADERS, stream, block), frame(DATA, 0 if trailers else END_STREAM, stream, body)]
        if trailers:
            frames.append(frame(HEADERS, END_HEADERS | END_STREAM, stream, hpack(trailers)))
        self.send(*frames)
        return stream

    def frames(self):
        """Yields the frames that arrive until the connection ends, and acknowledges SETTINGS."""
        while True:
            while len(self.buffer) < 9 or len(self.buffer) < 9 + int.from_bytes(self.buffer[:3], "big"):
                try:
                    more = self.socket.recv(65_536)
                except (ConnectionError, ssl.SSLError):
                    return
                if not more:
                    return
                self.buffer += more
            length = int.from_bytes(self.buffer[:3], "big")
            kind, flags, stream = self.buffer[3], self.buffer[4], int.from_bytes(self.buffer[5:9], "big")
            payload, self.buffer = self.buffer[9:9 + length], self.buffer[9 + length:]
            if kind == SETTINGS and not flags & ACK:
                # If the peer has closed the connection, frames that it sent before can still be read.
                with contextlib.suppress(OSError):
                    self.send(frame(SETTINGS, ACK))
            yield kind, flags, stream, payload

    def answer(self, wanted):
        """Returns the status and the body of the answer on a stream, or ("reset", code) or ("goaway", code) instead."""
        status, body = None, b""
        for kind, flags, stream, payload in self.frames():
            if kind == GOAWAY:
                code = int.from_bytes(payload[4:8], "big")
                if code or int.from_bytes(payload[:4], "big") < wanted:
                    return "goaway", code
            if stream != wanted:
                continue
            if kind == RST_STREAM:
                return "reset", int.from_bytes(payload, "big")
            if kind == HEADERS:
                status = status_of(payload)
            if kind == DATA:
                body += payload
            if flags & END_STREAM and kind in (HEADERS, DATA):
                return status, body.decode()
        return "closed", None

    def limit(self, *values):
        """Waits for SETTINGS with one of these stream limits, acknowledges them, and returns the limit."""
        for kind, flags, _, payload in self.frames():
            if kind == SETTINGS and not flags & ACK:
                found = dict(struct.unpack(">HI", payload[at:at + 6]) for at in range(0, len(payload), 6))
                if found.get(3) in values:
                    return found[3]
        raise AssertionError("the connection has ended")


def frame(kind, flags=0, stream=0, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def hpack(fields):
    """Encodes the fields as literals without indexing (RFC 7541, section 6.2.2)."""
    def text(value):
        data = value.encode()
        if len(data) < 127:
            return bytes([len(data)]) + data
        rest, length = len(data) - 127, b"\x7f"
        while rest >= 128:
            length += bytes([rest % 128 + 128])
            rest //= 128
        return length + bytes([rest]) + data
    return b"".join(b"\0" + text(name) + text(value) for name, value in fields)


def status_of(block):
    """Returns the status at the beginning of an answer's field list. It is in the static table or a literal with a known
    name."""
    while 0x20 <= block[0] < 0x40:
        block = block[1:]
    known = {8: 200, 9: 204, 10: 206, 11: 304, 12: 400, 13: 404, 14: 500}
    if block[0] & 0x80:
        return known[block[0] & 0x7f]
    digits = block[2:2 + (block[1] & 0x7f)]
    return int(digits) if not block[1] & 0x80 else huffman_digits(digits)


def huffman_digits(data):
    codes = {"00000": "0", "00001": "1", "00010": "2", "011001": "3", "011010": "4", "011011": "5", "011100": "6",
             "011101": "7", "011110": "8", "011111": "9"}
    bits, text, code = "".join(f"{byte:08b}" for byte in data), "", ""
    for bit in bits:
        code += bit
        if code in codes:
            text, code = text + codes[code], ""
    return int(text)


def eventually(what, condition, within=60):
    deadline = time.monotonic() + within
    while not (found := condition()):
        assert time.monotonic() < deadline, f"not within {within} s: {what}"
        time.sleep(0.02)
    return found
