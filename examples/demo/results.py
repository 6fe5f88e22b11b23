#!/usr/bin/python3
"""Consumes results until each recipient of a part of the demo has its outcome, and reports as JSON.

  examples/demo/results.py AMQP_URL kinds|everywhere|campaign REPORT_FILE SECONDS

Prints `bound` when its queue is bound. It receives every event that is published after that. Then it regularly prints the
number of outcomes. Exits with 0 when it has all outcomes, or with 1 if nothing new arrives for SECONDS.
"""
import collections
import json
import pathlib
import sys
import time

sys.dont_write_bytecode = True

import jsonschema  # noqa: E402
import pika  # noqa: E402

import campaign  # noqa: E402

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schema" / "event.schema.json"
# The maximum number of events that are checked against the schema. To check all events of the campaign, Python would
# need more time than the campaign itself.
CHECKED_EVENTS = 100


class Results:
    def __init__(self, part: campaign.Part):
        self.expected = part.expected
        self.total = part.recipients
        self.malformed = part.malformed
        self.kinds = {app: collections.Counter() for app in self.expected}
        self.seen: dict[tuple[str, str], str] = {}
        self.workers = collections.Counter()
        self.problems: list[str] = []
        self.rejections: list[dict] = []
        self.events = 0
        self.checked: list[dict] = []
        self.last = ""

    @property
    def complete(self) -> bool:
        return len(self.seen) == self.total and len(self.rejections) >= self.malformed

    def take(self, event: dict) -> None:
        self.events += 1
        if len(self.checked) < CHECKED_EVENTS:
            self.checked.append(event)
        if event.get("kind") == "job.rejected":
            self.rejections.append(event)
            return
        for outcome in event["outcomes"]:
            self.last = max(self.last, outcome["at"])
            self.workers[event["worker"]] += 1
            self.outcome(event, outcome)

    def outcome(self, event: dict, outcome: dict) -> None:
        app, ref, kind = campaign.row(event["app"], event["output"]), outcome.get("ref", ""), event["kind"]
        expected = self.expected.get(app, {}).get(ref)
        if expected is None:
            return self.problem(f"{app}: unexpected outcome for ref {ref or 'nobody'}")
        if (app, ref) in self.seen:
            return self.problem(f"{app}: {ref} has two outcomes: {self.seen[app, ref]} and {kind}")
        self.seen[app, ref] = kind
        self.kinds[app][kind] += 1
        if kind != expected:
            self.problem(f"{app}: {ref} is {kind} ({outcome.get('reason', 'no reason')}), expected {expected}")

    def problem(self, text: str) -> None:
        if len(self.problems) < 20:
            self.problems.append(text)

    def validate(self) -> None:
        validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
        for event in self.checked:
            for error in validator.iter_errors(event):
                self.problem(f"an event does not fit the schema: {error.json_path}: {error.message}")

    def report(self) -> dict:
        return {
            "kinds": self.kinds, "missing": self.total - len(self.seen), "problems": self.problems,
            "workers": self.workers, "rejections": self.rejections, "events": self.events,
            "checked": len(self.checked), "last": self.last,
        }


def main(url: str, name: str, report_file: str, seconds: str) -> int:
    results = Results(campaign.PARTS[name]())
    connection = pika.BlockingConnection(pika.URLParameters(url))
    channel = connection.channel()
    queue = channel.queue_declare("", exclusive=True).method.queue
    channel.queue_bind(queue, "martlet.results", "#")
    print("bound", flush=True)
    arrived = shown = time.monotonic()
    for method, _, body in channel.consume(queue, auto_ack=True, inactivity_timeout=0.1):
        now = time.monotonic()
        if method is not None:
            arrived = now
            results.take(json.loads(body))
        if now - shown > 0.1 or results.complete:
            shown = now
            print(len(results.seen), flush=True)
        if results.complete or now - arrived > float(seconds):
            break
    # A duplicate outcome would arrive soon after the last one.
    channel.cancel()
    for method, _, body in channel.consume(queue, auto_ack=True, inactivity_timeout=0.5):
        if method is None:
            break
        results.take(json.loads(body))
    results.validate()
    pathlib.Path(report_file).write_text(json.dumps(results.report()))
    connection.close()
    return 0 if results.complete else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
