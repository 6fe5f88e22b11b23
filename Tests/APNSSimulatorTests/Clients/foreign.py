#!/usr/bin/python3
"""Runs another project's client against the simulator: foreign.py CLIENT. Each client sends as its users would, and the
simulator's counters show what arrived. Prints nothing on success. Exits with 77 and a line if the client is not available."""
import asyncio
import os
import shutil
import ssl
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "..", "Support", "Clients"))
from packages import unavailable, with_packages  # noqa: E402
from simulation import SIMULATOR, TOKEN, Simulator  # noqa: E402

TOPIC = "com.example.app"
DEAD = "dead0410" + TOKEN[8:]
TEAM, KEY = "SIMULATEDT", "SIMULATEDK"

# The packages to install from PyPI for a client. The other clients come from Debian.
PACKAGES = {
    "aioapns": ["aioapns==4.0"],
    "pyapns2": ["apns2==0.7.2", "cryptography<42"],
    "gobiko": ["gobiko.apns==0.1.6"],
}


def run(*command, name):
    if shutil.which(command[0]) is None:
        unavailable(f"{command[0]} is not installed; scripts/install does it")
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, f"{name}: {result.stdout}{result.stderr}"
    return result.stdout


def came(simulator, **statuses):
    counters = simulator.counters()
    found = {name: counters["by_status"].get(name[1:], 0) for name in statuses}
    assert found == statuses, f"{counters}\n{simulator.log}"
    assert counters["malformed_requests"] == counters["broken_connections"] == 0, f"{counters}\n{simulator.log}"


def url(simulator, token=TOKEN):
    return f"https://localhost:{simulator.port}/3/device/{token}"


def headers(simulator):
    return {"authorization": f"bearer {simulator.jwt}", "apns-topic": TOPIC, "apns-push-type": "alert"}


# Clients from Debian


def curl(simulator):
    # Runs the command line that the simulator prints.
    line = simulator.greeting[simulator.greeting.index("curl "):]
    result = subprocess.run(
        ["/bin/bash", "-c", line.replace("curl ", "curl --silent --show-error --include ", 1)],
        capture_output=True, text=True, timeout=60)
    assert result.returncode == 0 and "HTTP/2 200" in result.stdout, f"{line}{result}"
    fields = [part for name, value in headers(simulator).items() for part in ("-H", f"{name}: {value}")]
    common = ["curl", "--silent", "--show-error", "--http2", "--cacert", simulator.ca, *fields]
    text = run(*common, "-d", "{}", url(simulator, DEAD), name="a dead token")
    assert '"reason":"Unregistered"' in text, text
    # Runs the command line of the documentation.
    token = run(SIMULATOR, "token", "--directory", os.path.dirname(simulator.ca), name="token").strip()
    run("curl", "--silent", "--fail", "--http2", "--cacert", simulator.ca, "-d", '{"aps":{"alert":"hi"}}',
        "-H", f"authorization: bearer {token}", "-H", "apns-topic: com.example.app", "-H", "apns-push-type: alert",
        f"https://127.0.0.1:{simulator.port}/3/device/dead0411", name="a token of `martlet-simulator token`")
    # curl would fail if the answer to HEAD had a body.
    text = run(*common, "--head", url(simulator), name="HEAD")
    assert "HTTP/2 405" in text, text
    came(simulator, _200=2, _410=1, _405=1)


def certificate(simulator):
    folder = os.path.dirname(simulator.ca)
    for name, options in (("push.pem", []), ("push.p12", ["--cert-type", "P12"])):
        file = os.path.join(folder, name)
        run(SIMULATOR, "certificate", "--directory", folder, "--app", TOPIC, "--output", file,
            *(["--password", "secret"] if options else []), name="a certificate")
        run("curl", "--silent", "--show-error", "--fail", "--http2", "--cacert", simulator.ca, *options,
            "--cert", file + (":secret" if options else ""), "-H", f"apns-topic: {TOPIC}", "-d", "{}", url(simulator),
            name=name)
    came(simulator, _200=2)


def nghttp(simulator):
    body = os.path.join(os.path.dirname(simulator.ca), "body")
    with open(body, "w") as file:
        file.write('{"aps":{}}')
    fields = [part for name, value in headers(simulator).items() for part in ("-H", f"{name}: {value}")]
    # The simulator allows one stream until it has seen a valid token, and nghttp sends no other streams before that.
    run("nghttp", "--no-verify-peer", "--null-out", "-d", body, *fields, "-H", ":method: POST", url(simulator),
        name="nghttp")
    came(simulator, _200=1)


def h2load(_):
    with Simulator("--unauthenticated-streams", "1000") as simulator:
        body = os.path.join(os.path.dirname(simulator.ca), "body")
        with open(body, "w") as file:
            file.write('{"aps":{}}')
        fields = [part for name, value in headers(simulator).items() for part in ("-H", f"{name}: {value}")]
        text = run("h2load", "-n", "5000", "-c", "4", "-m", "100", "-d", body, *fields, url(simulator), name="h2load")
        assert "5000 succeeded, 0 failed" in text, text
        came(simulator, _200=5000)


def httpx(simulator):
    import h2  # noqa: F401
    import httpx as library

    async def main():
        trust = ssl.create_default_context(cafile=simulator.ca)
        async with library.AsyncClient(http2=True, verify=trust, timeout=20) as client:
            async def push(token):
                answer = await client.post(url(simulator, token), headers=headers(simulator), content=b'{"aps":{}}')
                return answer.http_version, answer.status_code
            assert await push(TOKEN) == ("HTTP/2", 200)
            answers = await asyncio.gather(*[push(DEAD if number % 10 == 0 else TOKEN) for number in range(100)])
            assert sorted(answers) == [("HTTP/2", 200)] * 90 + [("HTTP/2", 410)] * 10, answers
    asyncio.run(main())
    came(simulator, _200=91, _410=10)


# Clients from PyPI


def aioapns(simulator):
    import aioapns as library
    from aioapns.connection import APNsProductionClientProtocol

    class Local(APNsProductionClientProtocol):
        APNS_SERVER, APNS_PORT = "localhost", simulator.port

    async def main():
        with open(simulator.key_file) as file:
            client = library.APNs(
                key=file.read(), key_id=KEY, team_id=TEAM, topic=TOPIC,
                ssl_context=ssl.create_default_context(cafile=simulator.ca))
        client.pool.protocol_class = Local

        async def push(token):
            request = library.NotificationRequest(device_token=token, message={"aps": {"alert": "hi"}})
            return (await client.send_notification(request)).status
        assert await push(TOKEN) == "200"
        answers = await asyncio.gather(*[push(DEAD if number % 10 == 0 else TOKEN) for number in range(50)])
        assert sorted(answers) == ["200"] * 45 + ["410"] * 5, answers
    asyncio.run(main())
    came(simulator, _200=46, _410=5)


def old_python():
    """Restores names for hyper, which two of the clients use and which was written for older versions of Python."""
    import collections
    import collections.abc
    for name in ("Iterable", "Mapping", "MutableMapping", "MutableSet"):
        setattr(collections, name, getattr(collections.abc, name))
    if not hasattr(ssl, "match_hostname"):
        ssl.match_hostname = lambda *_: None


def pyapns2(simulator):
    old_python()
    import hyper.tls
    from apns2.client import APNsClient
    from apns2.credentials import TokenCredentials
    from apns2.errors import Unregistered
    from apns2.payload import Payload
    hyper.tls.cert_loc = simulator.ca
    APNsClient.LIVE_SERVER, APNsClient.DEFAULT_PORT = "localhost", simulator.port
    # The client sends a token whose `iat` is not an integer.
    client = APNsClient(TokenCredentials(simulator.key_file, KEY, TEAM))
    for _ in range(20):
        client.send_notification(TOKEN, Payload(alert="hi"), TOPIC)
    try:
        client.send_notification(DEAD, Payload(alert="hi"), TOPIC)
        raise AssertionError("not refused")
    except Unregistered:
        pass
    came(simulator, _200=20, _410=1)


def gobiko(simulator):
    old_python()
    import gobiko.apns.client as library
    import hyper
    import hyper.tls
    from gobiko.apns.exceptions import Unregistered
    hyper.tls.cert_loc = simulator.ca

    class Local(library.APNsClient):
        # hyper uses TLS only for port 443 unless `secure` is set.
        def _create_connection(self):
            return hyper.HTTP20Connection("localhost", simulator.port, secure=True, force_proto="h2")
    client = Local(
        team_id=TEAM, auth_key_id=KEY, auth_key_filepath=simulator.key_file, bundle_id=TOPIC, force_proto="h2")
    for _ in range(3):
        client.send_message(TOKEN, "hi")
    try:
        client.send_message(DEAD, "hi")
        raise AssertionError("not refused")
    except Unregistered:
        pass
    came(simulator, _200=3, _410=1)


CLIENTS = {client.__name__: client for client in (
    curl, certificate, nghttp, h2load, httpx, aioapns, pyapns2, gobiko)}


if __name__ == "__main__":
    wanted = sys.argv[1]
    if wanted in PACKAGES:
        with_packages(wanted, PACKAGES[wanted], sys.argv[2])
    with Simulator() as simulator_of_all:
        try:
            CLIENTS[wanted](simulator_of_all)
        except ImportError as error:
            # Some clients were written for older versions of Python.
            unavailable(f"it does not load in Python {sys.version.split()[0]}: {error}")
