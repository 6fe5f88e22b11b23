"""The jobs that the measurements publish. Every recipient has a number of its own, which is in its device token."""

APP, TEAM, KEY_ID = "com.example.bench", "TEAMBENCH1", "KEYBENCH12"
# 191 bytes: the size at which other clients were measured, too.
PAYLOAD = '{"aps":{"alert":{"title":"Martlet","body":"%s"},"sound":"default"}}' % ("x" * 126)
# What the simulator's patterns do with a token that begins so.
ACCEPTED, DEAD = "0a11fe57", "dead0410"


def token(number: int, pattern: str = ACCEPTED) -> str:
    return f"{pattern}{number:056x}"


def job(name: str, recipients, *, app: str = APP, fields: str = "") -> bytes:
    """For recipients with these numbers. `fields`: more of the job's own, as JSON members, each after a comma."""
    return text(name, (token(number) for number in recipients), app=app, fields=fields)


def text(name: str, tokens, *, app: str = APP, fields: str = "") -> bytes:
    recipients = ",".join(f'"{token}"' for token in tokens)
    return f'{{"id":"{name}","app":"{app}"{fields},"payload":{PAYLOAD},"recipients":[{recipients}]}}'.encode()
