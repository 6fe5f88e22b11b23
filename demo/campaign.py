"""The demo's campaign: which jobs are published, and what has to become of each recipient."""
import hashlib
import json

# Two teams, one app each: one with a token key, one with a certificate.
APPS = ("com.example.shop", "com.example.news")
LANES = {
    # lane: sizes of the jobs of each app
    "urgent": [1] * 150,
    "normal": [10] * 25 + [50] * 6,
    "bulk": [300, 1000],
}
# Tokens that begin so are answered so by the simulator (docs/simulator.md).
DEAD_PREFIX = "dead0410"
BAD_PREFIX = "bad00400"

MALFORMED_ID = "demo-malformed"
MALFORMED = {
    "id": MALFORMED_ID, "app": APPS[0], "recipients": ["00" * 32], "payload": {"aps": {"alert": "never sent"}},
    "priorty": 10,
}


def token(ref: str, kind: str) -> str:
    digits = hashlib.sha256(ref.encode()).hexdigest()
    prefix = {"unregistered": DEAD_PREFIX, "rejected": BAD_PREFIX, "sent": "0a11fe57"}[kind]
    return prefix + digits[len(prefix):]


def expected_kind(number: int) -> str:
    """Every 25th device is gone and every 40th token was never one."""
    if number % 25 == 7:
        return "unregistered"
    if number % 40 == 3:
        return "rejected"
    return "sent"


def jobs() -> tuple[list[tuple[str, dict]], dict[str, dict[str, str]]]:
    """The jobs with their lanes, and for each app the kind that each ref must end with."""
    published = []
    expected: dict[str, dict[str, str]] = {app: {} for app in APPS}
    number = 0
    for lane, sizes in LANES.items():
        for place, size in enumerate(sizes):
            for app in APPS:
                recipients = []
                for _ in range(size):
                    number += 1
                    ref = f"user-{number}"
                    kind = expected_kind(number)
                    expected[app][ref] = kind
                    recipients.append({"token": token(ref, kind), "ref": ref})
                published.append((lane, {
                    "id": f"demo-{lane}-{app}-{place}",
                    "app": app,
                    "recipients": recipients,
                    "payload": {"aps": {"alert": {"title": "Martlet", "body": f"The {lane} lane says hello"}}},
                    "collapse_id": f"demo-{lane}",
                }))
    return published, expected


def body(job: dict) -> bytes:
    return json.dumps(job, separators=(",", ":")).encode()
