"""Measures the send path of the FCM output, and compares it with h2load, which sends the same bodies."""
import base64
import json
import pathlib
import statistics
import subprocess
import time
import urllib.parse
import urllib.request
import ssl

import measure
from support.local_services.processes import answers, free_port
from support.orchestration import SIMULATOR, Failure, end

STREAMS = 100
PAYLOAD = json.dumps({"notification": {"title": "Tonight", "body": "Clear skies, a light wind from the west"},
                      "data": {"thread": "weather", "n": "17"}}, separators=(",", ":"))


def base64url(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def access_token(account: dict, ca: pathlib.Path, directory: pathlib.Path) -> str:
    """Obtains an access token as described in RFC 7523. The signature is made with openssl."""
    key = directory / "account-key.pem"
    key.write_text(account["private_key"])
    key.chmod(0o600)
    now = int(time.time())
    claims = {"iss": account["client_email"], "scope": "https://www.googleapis.com/auth/firebase.messaging",
              "aud": account["token_uri"], "iat": now, "exp": now + 3600}
    header = {"alg": "RS256", "typ": "JWT", "kid": account["private_key_id"]}
    signed = b".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
    signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", key], input=signed, capture_output=True, check=True)
    form = urllib.parse.urlencode({"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
                                   "assertion": (signed + b"." + base64url(signature.stdout)).decode()})
    trust = ssl.create_default_context(cafile=str(ca))
    with urllib.request.urlopen(account["token_uri"], data=form.encode(), context=trust, timeout=10) as answer:
        return json.load(answer)["access_token"]


def send(bench, program: pathlib.Path) -> None:
    run, count = bench.run, bench.scaled(200_000)
    directory = run.directory / "fcm"
    directory.mkdir(exist_ok=True)
    port, control = free_port(None, bench.taken), free_port(None, bench.taken)
    simulator = run.start("fcm-simulator", [
        SIMULATOR, "fcm", "--port", port, "--control-port", control, "--directory", directory,
        "--quota", 1_000_000_000])
    file, ca = directory / "service-account.json", directory / "ca.pem"
    run.wait_for("the simulator of FCM is up", lambda: file.exists() and answers(port), 20)
    payload, body = directory / "payload.json", directory / "body.json"
    payload.write_text(PAYLOAD)
    body.write_text('{"message":{"token":"bench100000:APA91b' + "x" * 120 + '",' + PAYLOAD[1:] + "}")
    account = json.loads(file.read_text())
    h2load, ours, rates = [], [], []
    for number in range(bench.rounds):
        run.step(f"FCM, round {number + 1} of {bench.rounds}")
        token, log = access_token(account, ca, directory), run.directory / "h2load-fcm.log"
        with open(log, "wb") as output:
            cpu = measure.cpu_of_run(run.popen([
                "h2load", "-n", count, "-c", 1, "-m", STREAMS, "-d", body, "-H", f"authorization: Bearer {token}",
                "-H", "content-type: application/json",
                f"https://127.0.0.1:{port}/v1/projects/{account['project_id']}/messages:send"],
                stdout=output, stderr=output))
        if f"{count} 2xx" not in log.read_text():
            raise Failure(f"h2load: not every request was answered with 200; see {log}")
        h2load.append(cpu / count * 1e6)
        result = json.loads(run.output([
            program, "send-fcm", "--endpoint", f"127.0.0.1:{port}", "--ca-file", ca, "--account", file,
            "--payload-file", payload, "--count", str(count)]))
        ours.append(result["cpu_us_per_push"])
        rates.append(count / result["seconds"])
    end(simulator)
    run.background = [entry for entry in run.background if entry[1] is not simulator]
    value, beside = statistics.median(ours), statistics.median(h2load)
    bench.row("FCM, send path, CPU a message", f"{value:.2f} µs", f"h2load {beside:.2f} µs", value / beside,
              "at most 1.20", value <= 1.2 * beside)
    bench.row("  messages a second on one connection", f"{statistics.median(rates):.0f}", "", None, "", True)
