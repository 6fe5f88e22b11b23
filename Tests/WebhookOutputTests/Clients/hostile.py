#!/usr/bin/python3
"""Requests that a worker never sends, against examples/webhook-receiver: hostile.py RECEIVER. Prints each wrong answer, and exits
with 1 if there was one."""
import base64
import hmac
import json
import os
import re
import socket
import subprocess
import sys
import time

SECRET, RETIRED = b"secret of this receiver, 32 byte", b"secret that is no longer in use!"
BATCH = {"version": 1, "batch": "b-1", "output": "webhook", "app": "com.example.shop", "job": {"id": "j-1", "payload": "Hi"},
         "recipients": [{"i": 0, "token": "+49 151 1", "attempt": 1}]}
BODY = json.dumps(BATCH).encode()
CHECK = b'{"version": 1, "batch": "b-0", "output": "webhook", "recipients": []}'


def signature(batch: bytes, timestamp: bytes, body: bytes, secret: bytes = SECRET) -> bytes:
    return b"v1," + base64.b64encode(hmac.digest(secret, b".".join([batch, timestamp, body]), "sha256"))


def request(body: bytes = BODY, *, batch: bytes = b"b-1", timestamp: bytes | None = None, secret: bytes = SECRET,
            length: bytes | None = None, without: str = "", also: bytes = b"", **replaced: bytes) -> bytes:
    timestamp = timestamp or str(int(time.time())).encode()
    fields = {"content-length": length or str(len(body)).encode(), "webhook-id": batch, "webhook-timestamp": timestamp,
              "webhook-signature": signature(batch, timestamp, body, secret)}
    fields.update({name.replace("_", "-"): value for name, value in replaced.items()})
    lines = [name.encode() + b": " + value + b"\r\n" for name, value in fields.items() if name != without]
    return b"POST /in HTTP/1.1\r\nhost: localhost\r\n" + b"".join(lines) + also + b"\r\n" + body


def seconds(offset: int) -> bytes:
    return str(int(time.time()) + offset).encode()


def cases() -> list[tuple[str, bytes, int]]:
    both = signature(b"b-1", seconds(0), BODY, RETIRED) + b" v1a,AAAA " + signature(b"b-1", seconds(0), BODY)
    return [
        ("a batch", request(), 200),
        ("an empty batch, as credential check sends", request(CHECK), 200),
        ("several signatures, one of them valid", request(timestamp=seconds(0), webhook_signature=both), 200),
        ("no webhook field at all", b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}", 401),
        *((f"no {name}", request(without=name), 401) for name in ("webhook-id", "webhook-timestamp", "webhook-signature")),
        ("an empty signature", request(webhook_signature=b""), 401),
        ("a signature that is no base64", request(webhook_signature=b"v1,????"), 401),
        ("a signature that is not ASCII", request(webhook_signature="v1,ü".encode("latin-1")), 401),
        ("another secret", request(secret=RETIRED), 401),
        ("another body", request(webhook_signature=signature(b"b-1", seconds(0), b"{}")), 401),
        ("another id", request(webhook_id=b"b-2"), 401),
        ("two signatures in two fields", request(also=b"webhook-signature: v1,AAAA\r\n"), 401),
        ("two times", request(also=b"webhook-timestamp: 1\r\n"), 401),
        ("an old time", request(timestamp=seconds(-400)), 401),
        ("a time to come", request(timestamp=seconds(400)), 401),
        *((f"a time of {name}", request(timestamp=value), 401) for name, value in {
            "words": b"yesterday", "400 digits": b"9" * 400, "5,000 digits": b"9" * 5000, "a sign": b"-1", "a fraction": b"1.5",
            "a superscript": "²".encode("latin-1")}.items()),
        ("no length", request(without="content-length"), 411),
        *((f"a length of {value!r}", request(length=value), 411) for value in (b"-1", b"ten", b"1e3", b"0x10", "²".encode("latin-1"))),
        ("two lengths", request(also=b"content-length: 7\r\n"), 411),
        ("chunks", request(without="content-length", also=b"transfer-encoding: chunked\r\n"), 411),
        ("a length beyond the bound", request(length=b"1048577"), 413),
        ("a length of 12 digits", request(length=b"999999999999"), 413),
        ("a body that is shorter than its length", request(BODY + b" " * 9)[:-9], 401),
        *((f"a body of {name}", request(body), 400) for name, body in {
            "half a batch": BODY[:40], "nothing": b"", "a list": b"[]", "a number": b"1", "bytes that are no text": b"\xff\xfe\xfd",
            "a million brackets": b"[" * 1_000_000, "an empty object": b"{}", "recipients without a job": BODY.replace(b'"job"', b'"jab"'),
            "a recipient that is a text": BODY.replace(b'[{"i"', b'["r", {"i"'),
            "a recipient without its place": BODY.replace(b'"i"', b'"j"')}.items()),
    ]


def answer(port: int, sent: bytes) -> int:
    """Returns the status of the answer, or 0 if the connection was closed without one."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        try:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the receiver may have answered and closed already
        received = b""
        try:
            while data := connection.recv(65536):
                received += data
        except ConnectionResetError:
            pass
    found = re.match(rb"HTTP/1\.1 (\d{3}) ", received)
    return int(found[1]) if found else 0


def main(receiver: str) -> int:
    secrets = " ".join("whsec_" + base64.b64encode(each).decode() for each in (b"x" * 32, SECRET))
    wrong = 0
    with subprocess.Popen(["/usr/bin/python3", "-B", receiver, "0"], env=os.environ | {"WEBHOOK_SECRETS": secrets}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        port = int(process.stdout.readline().split()[-1])
        table = cases()
        for name, sent, expected in table:
            if (status := answer(port, sent)) != expected:
                print(f"{name}: {status}, not {expected}")
                wrong += 1
        process.terminate()
        printed, errors = process.communicate()
    if printed != '+49 151 1 "Hi"\n':
        print(f"the batch was not delivered exactly once: {printed!r}")
        wrong += 1
    refused = sum(expected != 200 for _, _, expected in table)
    reasons = re.findall(r"\] (\d{3}): (.+)", errors)
    if len(reasons) != refused or "Traceback" in errors:
        print(f"{len(reasons)} lines for {refused} refusals:\n{errors}")
        wrong += 1
    print(f"{len(table)} requests, {wrong} wrong")
    return min(wrong, 1)


sys.exit(main(*sys.argv[1:]))
