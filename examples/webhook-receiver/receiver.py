#!/usr/bin/python3
"""Takes the batches of Martlet's webhook output (docs/webhook.md), and prints each message.
Run as: WEBHOOK_SECRETS="whsec_..." receiver.py [PORT]"""
import base64, hashlib, hmac, json, os, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Two for as long as one takes the place of the other.
SECRETS = [base64.b64decode(text.removeprefix("whsec_")) for text in os.environ["WEBHOOK_SECRETS"].split()]
# What a batch after a time-out must not deliver again: in a service of yours, a table.
SETTLED, LOCK = {}, threading.Lock()


def deliver(token, payload):
    """Your channel: says what became of one message."""
    if token.startswith("gone"):
        return {"kind": "unregistered", "reason": "NoSuchNumber"}
    print(token, json.dumps(payload), flush=True)
    return {"kind": "sent", "id": f"m-{len(SETTLED) + 1}"}


def settle(app, job, recipient):
    token, payload = recipient["token"], recipient.get("payload", job["payload"])
    key = json.dumps([app, job["id"], token, recipient.get("ref"), payload], sort_keys=True)
    with LOCK:
        outcome = SETTLED.get(key) or deliver(token, payload)
        if outcome["kind"] in ("sent", "rejected", "unregistered"):  # Of the others the next attempt decides.
            SETTLED[key] = outcome
    return {"i": recipient["i"], **outcome}


def is_signed(fields, body):
    """Standard Webhooks: HMAC-SHA256 over id, time and body; one of the signatures must be of one of our secrets."""
    signed = f"{fields['webhook-id']}.{fields['webhook-timestamp']}.".encode() + body
    wanted = ["v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode() for key in SECRETS]
    is_ours = any(hmac.compare_digest(one, other) for one in wanted for other in fields["webhook-signature"].split())
    return is_ours and abs(time.time() - int(fields["webhook-timestamp"])) <= 300


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if not is_signed(self.headers, body):
            return self.answer(401, {})
        batch = json.loads(body)
        self.answer(200, {"outcomes": [settle(batch["app"], batch["job"], one) for one in batch["recipients"]]})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", int((sys.argv[1:] or [8080])[0])), Receiver)
print("listening on port", server.server_port, flush=True)
server.serve_forever()
