#!/usr/bin/python3
"""Consumes results until each recipient of the demo's campaign has its outcome, and reports as JSON.

  demo/results.py AMQP_URL REPORT_FILE SECONDS

Prints `bound` once nothing can be missed any more. Ends with 0 when it has everything, 1 after SECONDS.
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

SCHEMA = pathlib.Path(__file__).resolve().parents[1] / "docs" / "schema" / "event.schema.json"


class Results:
    def __init__(self):
        _, self.expected = campaign.jobs()
        self.missing = sum(len(refs) for refs in self.expected.values())
        self.kinds = {app: collections.Counter() for app in self.expected}
        self.seen: dict[tuple[str, str], str] = {}
        self.workers = collections.Counter()
        self.problems: list[str] = []
        self.rejections: list[dict] = []
        self.events: list[dict] = []
        self.last = ""

    @property
    def complete(self) -> bool:
        return self.missing == 0 and bool(self.rejections)

    def take(self, event: dict) -> None:
        self.events.append(event)
        if event.get("kind") == "job.rejected":
            self.rejections.append(event)
            return
        for outcome in event["outcomes"]:
            self.last = max(self.last, outcome["at"])
            self.workers[event["worker"]] += 1
            self.outcome(event, outcome)

    def outcome(self, event: dict, outcome: dict) -> None:
        app, ref, kind = event["app"], outcome.get("ref", ""), event["kind"]
        expected = self.expected.get(app, {}).get(ref)
        if expected is None:
            return self.problem(f"{app}: an outcome for {ref or 'nobody'}, who was not asked for")
        if (app, ref) in self.seen:
            return self.problem(f"{app}: {ref} has two outcomes: {self.seen[app, ref]} and {kind}")
        self.seen[app, ref] = kind
        self.kinds[app][kind] += 1
        self.missing -= 1
        if kind != expected:
            self.problem(f"{app}: {ref} is {kind} ({outcome.get('reason', 'no reason')}), expected {expected}")

    def problem(self, text: str) -> None:
        if len(self.problems) < 20:
            self.problems.append(text)

    def validate(self) -> None:
        validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
        for event in self.events:
            for error in validator.iter_errors(event):
                self.problem(f"an event does not fit the schema: {error.json_path}: {error.message}")

    def report(self) -> dict:
        return {
            "kinds": self.kinds, "missing": self.missing, "problems": self.problems, "workers": self.workers,
            "rejections": self.rejections, "events": len(self.events), "last": self.last,
        }


def main(url: str, report_file: str, seconds: float) -> int:
    results = Results()
    total = results.missing
    connection = pika.BlockingConnection(pika.URLParameters(url))
    channel = connection.channel()
    queue = channel.queue_declare("", exclusive=True).method.queue
    channel.queue_bind(queue, "martlet.results", "#")
    print("bound", flush=True)
    deadline = time.monotonic() + seconds
    shown = time.monotonic()
    for method, _, body in channel.consume(queue, auto_ack=True, inactivity_timeout=0.5):
        if method is not None:
            results.take(json.loads(body))
        if time.monotonic() - shown > 1:
            shown = time.monotonic()
            print(f"          {total - results.missing} of {total} outcomes", flush=True)
        if results.complete or time.monotonic() > deadline:
            break
    results.validate()
    pathlib.Path(report_file).write_text(json.dumps(results.report()))
    connection.close()
    return 0 if results.complete else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))
