#!/usr/bin/python3
"""Reads messages as browsers and push services would, with other projects' libraries: read.py FOLDER. Takes a JSON list of
messages and prints a JSON list of their texts. Exits with 77 and a line if the libraries are not available."""
import base64
import json
import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "..", "Support", "Clients"))
from packages import with_packages  # noqa: E402

PACKAGES = ["http-ece==1.2.1", "py-vapid==1.9.6"]


def data(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def text(message):
    import http_ece
    from cryptography.hazmat.primitives.asymmetric import ec
    from py_vapid import Vapid02
    # py-vapid does not accept the white space after the comma, which RFC 9110 allows.
    assert Vapid02.verify(message["authorization"].replace(", ", ",")), "the token's signature is wrong"
    token = message["authorization"].partition("t=")[2].partition(",")[0]
    claims = json.loads(data(token.split(".")[1]))
    assert claims["aud"] == message["origin"], claims
    key = ec.derive_private_key(int.from_bytes(data(message["key"]), "big"), ec.SECP256R1())
    body = data(message["body"])
    return http_ece.decrypt(body, private_key=key, auth_secret=data(message["auth"]), version="aes128gcm").decode()


if __name__ == "__main__":
    with_packages("webpush-reader", PACKAGES, sys.argv[1])
    print(json.dumps([text(message) for message in json.load(sys.stdin)]))
