#!/usr/bin/python3
"""Receives the batches of Martlet's webhook output (docs/webhook.md) and prints each message.
Run as: WEBHOOK_SECRETS="whsec_..." receiver.py [PORT]"""
import base64, hmac, json, os, re, sys, threading, time, traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Contains two secrets while one replaces the other.
SECRETS = [base64.b64decode(text.removeprefix("whsec_")) for text in os.environ["WEBHOOK_SECRETS"].split()]
# Final outcomes, by message. A batch that is repeated must not deliver a message twice. Use a table in your service.
SETTLED, LOCK = {}, threading.Lock()
MAXIMUM_BYTES = 1 << 20  # a worker sends no larger batch


def deliver(token, payload):
    """Sends one message and returns its outcome. Replace this with your channel."""
    if token.startswith("gone"):
        return {"kind": "unregistered", "reason": "NoSuchNumber"}
    print(token, json.dumps(payload), flush=True)
    return {"kind": "sent", "id": f"m-{len(SETTLED) + 1}"}


def settle(app, job, recipient):
    index, token, payload = recipient["i"], recipient["token"], recipient.get("payload", job["payload"])
    key = json.dumps([app, job["id"], token, recipient.get("ref"), payload], sort_keys=True)
    with LOCK:
        try:
            outcome = SETTLED.get(key) or deliver(token, payload)
            if outcome["kind"] in ("sent", "rejected", "unregistered"):  # the other kinds are attempted again
                SETTLED[key] = outcome
        except Exception as error:  # the message may have been sent
            traceback.print_exc()
            outcome = {"kind": "unknown", "reason": type(error).__name__}
    return {"i": index, **outcome}


def is_signed(fields, body):
    """Checks the signature (Standard Webhooks): HMAC-SHA256 of id, time and body, at most five minutes old."""
    values = [fields.get_all(f"webhook-{name}", []) for name in ("id", "timestamp", "signature")]
    if [len(each) for each in values] != [1, 1, 1] or not re.fullmatch("[0-9]{1,12}", values[1][0]):
        return False
    batch, timestamp, signatures = (each[0].encode("latin-1") for each in values)
    signed = b".".join([batch, timestamp, body])
    wanted = [b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256")) for key in SECRETS]
    return (any(hmac.compare_digest(one, other) for one in wanted for other in signatures.split())
            and abs(time.time() - int(timestamp)) <= 300)


class Receiver(BaseHTTPRequestHandler):
    protocol_version, timeout = "HTTP/1.1", 60  # seconds that a connection may be silent

    def do_POST(self):
        length = ",".join(self.headers.get_all("content-length", []))
        if not re.fullmatch("[0-9]{1,12}", length) or "transfer-encoding" in self.headers:
            return self.refuse(411, "exactly one content-length is required")
        if int(length) > MAXIMUM_BYTES:
            return self.refuse(413, f"{length} bytes, at most {MAXIMUM_BYTES} are accepted")
        body = self.rfile.read(int(length))
        if not is_signed(self.headers, body):
            return self.refuse(401, "signature missing or not valid")
        try:
            batch = json.loads(body)
            self.answer(200, {"outcomes": [settle(batch["app"], batch["job"], one) for one in batch["recipients"]]})
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            self.refuse(400, f"not a batch: {error!r}")

    def refuse(self, status, reason):
        self.log_error("%d: %s", status, reason)
        self.answer(status, {"error": reason})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if status != 200:  # part of the request may be unread
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", int((sys.argv[1:] or [8080])[0])), Receiver)
print("listening on port", server.server_port, flush=True)
server.serve_forever()
