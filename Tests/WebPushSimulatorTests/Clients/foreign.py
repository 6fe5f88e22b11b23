#!/usr/bin/python3
"""Runs another project's client against the simulator of push services: foreign.py CLIENT FOLDER. Prints nothing on success.
Exits with 77 and a line if the client is not available."""
import base64
import os
import sys
import time

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "..", "Support", "Clients"))
from double import Double  # noqa: E402
from packages import with_packages  # noqa: E402

PACKAGES = {
    "pywebpush": ["pywebpush==2.5.0"],
    "http_ece": ["http-ece==1.2.1", "py-vapid==1.9.6", "requests==2.34.2"],
}
PERSONAS = ["apple", "mozilla", "google", "microsoft"]
TEXT = "Grüße 🦆"


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def data(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def key_pair():
    from cryptography.hazmat.primitives import serialization
    from py_vapid import Vapid02
    vapid = Vapid02()
    vapid.generate_keys()
    return vapid, text(vapid.public_key.public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint))


def subscription(double, persona, key, state="good"):
    return double.control(
        "POST", "subscriptions", {"persona": persona, "application_server_key": key, "state": state})[0]


def recorded(double):
    return [(request["status"], request["payload"]) for request in double.control("GET", "requests")["requests"]]


def pywebpush(double):
    import pywebpush as library
    os.environ["REQUESTS_CA_BUNDLE"] = double.ca
    vapid, key = key_pair()
    _, other = key_pair()
    double.control("PUT", "recording", {"on": True})

    def push(target, **options):
        claims = {"sub": "mailto:push@example.com"}
        return library.webpush(target, TEXT, vapid_private_key=vapid, vapid_claims=claims, ttl=60, **options)
    for persona in PERSONAS:
        answer = push(subscription(double, persona, key), headers={"urgency": "high", "topic": "news"})
        assert answer.status_code == 201, (persona, answer.status_code, answer.text)
    assert recorded(double) == [(201, TEXT)] * 4, recorded(double)
    for persona, state, vapid_key, status in [
            ("apple", "gone", key, 410), ("mozilla", "gone", key, 410), ("google", "unknown", key, 404),
            ("apple", "good", other, 400), ("mozilla", "good", other, 401), ("google", "good", other, 403)]:
        try:
            push(subscription(double, persona, vapid_key, state))
            raise AssertionError(f"{persona} {state}: not refused")
        except library.WebPushException as error:
            assert error.response.status_code == status, (persona, state, error.response.status_code)
    try:
        # The library's default TTL of 0 is an error for Apple.
        library.webpush(subscription(double, "apple", key), TEXT, vapid_private_key=vapid,
                        vapid_claims={"sub": "mailto:push@example.com"})
        raise AssertionError("not refused")
    except library.WebPushException as error:
        assert error.response.status_code == 400 and "BadTtl" in error.response.text, error.response.text


def http_ece(double):
    """Sends a body that the library http_ece has encrypted."""
    import http_ece as library
    import requests
    from cryptography.hazmat.primitives.asymmetric import ec
    vapid, key = key_pair()
    double.control("PUT", "recording", {"on": True})
    for persona in PERSONAS:
        target = subscription(double, persona, key)
        origin = "/".join(target["endpoint"].split("/")[:3])
        body = library.encrypt(
            TEXT.encode(), private_key=ec.generate_private_key(ec.SECP256R1()), dh=data(target["keys"]["p256dh"]),
            auth_secret=data(target["keys"]["auth"]), version="aes128gcm", rs=4096)
        fields = vapid.sign({"aud": origin, "sub": "mailto:push@example.com", "exp": int(time.time()) + 3600})
        answer = requests.post(
            target["endpoint"], data=body, verify=double.ca, timeout=20,
            headers={"ttl": "60", "content-encoding": "aes128gcm", **fields})
        assert answer.status_code == 201, (persona, answer.status_code, answer.text, answer.headers)
    assert recorded(double) == [(201, TEXT)] * 4, recorded(double)


CLIENTS = {client.__name__: client for client in (pywebpush, http_ece)}

if __name__ == "__main__":
    wanted = sys.argv[1]
    with_packages(wanted, PACKAGES[wanted], sys.argv[2])
    with Double("webpush") as double_of_services:
        CLIENTS[wanted](double_of_services)
