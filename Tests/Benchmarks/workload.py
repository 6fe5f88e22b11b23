"""The jobs that the benchmarks publish. Every recipient has a unique number, which is part of its device token."""

APP, TEAM, KEY_ID = "com.example.bench", "TEAMBENCH1", "KEYBENCH12"
# A payload of 191 bytes. Other APNs clients are measured with the same payload (peers.py).
PAYLOAD = '{"aps":{"alert":{"title":"Martlet","body":"%s"},"sound":"default"}}' % ("x" * 126)
# The beginnings of tokens that the simulator accepts or reports dead.
ACCEPTED, DEAD = "0a11fe57", "dead0410"


def token(number: int, pattern: str = ACCEPTED) -> str:
    return f"{pattern}{number:056x}"


def job(name: str, recipients, *, app: str = APP, fields: str = "") -> bytes:
    """Returns a job for the recipients with these numbers. `fields` contains further members of the job as JSON, with a
    comma before each."""
    return text(name, (token(number) for number in recipients), app=app, fields=fields)


def text(name: str, tokens, *, app: str = APP, fields: str = "") -> bytes:
    recipients = ",".join(f'"{token}"' for token in tokens)
    return f'{{"id":"{name}","app":"{app}"{fields},"payload":{PAYLOAD},"recipients":[{recipients}]}}'.encode()
