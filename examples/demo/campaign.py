"""The jobs that the demo publishes, in three parts, and the expected outcome of each recipient."""
import dataclasses
import hashlib
import json
import pathlib

# Two teams, one app each: one with a token key, one with a certificate.
APPS = ("com.example.shop", "com.example.news")
LANES = {
    # lane: sizes of the jobs of each app
    "urgent": [1] * 150,
    "normal": [10] * 25 + [50] * 6,
    "bulk": [300, 1000],
}
CAMPAIGN_JOBS, CAMPAIGN_JOB_SIZE = 500, 1000
# For each kind of outcome, the prefix of tokens that the simulators answer with it (docs/simulators.md).
PREFIXES = {
    "apns": {"unregistered": "dead0410", "rejected": "bad00400", "sent": "0a11fe57"},
    "fcm": {"unregistered": "dead0404", "rejected": "bad00400", "sent": "0a11fe57"},
}
PAYLOADS = {
    "apns": lambda text: {"aps": {"alert": {"title": "Martlet", "body": text}}},
    "fcm": lambda text: {"notification": {"title": "Martlet", "body": text}},
    "webpush": lambda text: {"title": "Martlet", "body": text},
}
# The browsers' subscriptions, which the simulator of push services creates: a list for each kind of outcome.
SUBSCRIPTIONS = pathlib.Path(__file__).resolve().parents[2] / ".local" / "demo" / "subscriptions.json"
DEVICES = 3_000

MALFORMED_ID = "demo-malformed"
MALFORMED = {
    "id": MALFORMED_ID, "app": APPS[0], "recipients": ["00" * 32], "payload": {"aps": {"alert": "never sent"}},
    "priorty": 10,
}


@dataclasses.dataclass
class Part:
    """Jobs with their lanes, and the expected kind of outcome for each app, output and ref."""
    jobs: list[tuple[str, dict]] = dataclasses.field(default_factory=list)
    expected: dict[str, dict[str, str]] = dataclasses.field(default_factory=dict)
    # Jobs that must end in martlet.dead.
    malformed: int = 0

    @property
    def recipients(self) -> int:
        return sum(len(refs) for refs in self.expected.values())

    def gone(self, where: str) -> int:
        return sum(kind == "unregistered" for kind in self.expected.get(where, {}).values())

    def add(self, lane: str, app: str, identifier: str, text: str, kinds: dict[str, str], output: str = "apns",
            address=None) -> None:
        self.expected.setdefault(row(app, output), {}).update(kinds)
        address = address or (lambda ref, kind: {"token": token(ref, kind, output)})
        self.jobs.append((lane, {
            "id": identifier,
            "app": app,
            "output": output,
            "recipients": [{**address(ref, kind), "ref": ref} for ref, kind in kinds.items()],
            "payload": PAYLOADS[output](text),
            "collapse_id": f"demo-{lane}",
        }))


def row(app: str, output: str) -> str:
    """Returns the name of a row of the table."""
    return f"{app} {output}"


def token(ref: str, kind: str, output: str) -> str:
    prefix = PREFIXES[output][kind]
    digits = prefix + hashlib.sha256(ref.encode()).hexdigest()[len(prefix):]
    return digits if output == "apns" else f"{digits[:22]}:APA91b{digits[22:]}"


def kind_among_all(number: int) -> str:
    """Returns the kind of outcome of a device. Every 25th device is gone, and every 40th token is invalid."""
    if number % 25 == 7:
        return "unregistered"
    if number % 40 == 3:
        return "rejected"
    return "sent"


def kinds() -> Part:
    """Returns jobs for every lane and both apps with each kind of outcome, and a malformed job."""
    part = Part()
    number = 0
    for lane, sizes in LANES.items():
        for place, size in enumerate(sizes):
            for app in APPS:
                users = range(number + 1, number + size + 1)
                number += size
                part.add(lane, app, f"demo-{lane}-{app}-{place}", f"The {lane} lane says hello",
                         {f"user-{user}": kind_among_all(user) for user in users})
    part.jobs.append(("normal", MALFORMED))
    part.malformed = 1
    return part


def campaign() -> Part:
    """Returns a campaign of one app to all its devices, of which one in a hundred is gone."""
    part = Part()
    for place in range(CAMPAIGN_JOBS):
        users = range(place * CAMPAIGN_JOB_SIZE, (place + 1) * CAMPAIGN_JOB_SIZE)
        part.add("bulk", APPS[0], f"demo-campaign-{place}", "Everything must go",
                 {f"customer-{user}": "unregistered" if user % 100 == 7 else "sent" for user in users})
    return part


def everywhere() -> Part:
    """Returns one message to all devices: iPhones, Android phones and browsers."""
    part, app = Part(), APPS[0]
    for output in ("apns", "fcm"):
        part.add("normal", app, f"demo-everywhere-{output}", "Wherever you are",
                 {f"{output}-{user}": kind_among_all(user) for user in range(DEVICES)}, output)
    by_kind = json.loads(SUBSCRIPTIONS.read_text())
    subscriptions = {f"webpush-{kind}-{place}": one for kind, all_ in by_kind.items() for place, one in enumerate(all_)}
    part.add("normal", app, "demo-everywhere-webpush", "Wherever you are",
             {ref: ref.split("-")[1] for ref in subscriptions}, "webpush",
             lambda ref, _: {"subscription": subscriptions[ref]})
    return part


PARTS = {"kinds": kinds, "everywhere": everywhere, "campaign": campaign}


def body(job: dict) -> bytes:
    return json.dumps(job, separators=(",", ":")).encode()
