#!/usr/bin/python3
"""Prints dead tokens and problems: AMQP_URL=amqp://user:password@host python3 consume.py

Needs pika: Debian's python3-pika, or `pip install pika` in a virtual environment.
"""
import json
import os

import pika

QUEUE = "shop.push-results"
KINDS = ["unregistered", "suppressed", "rejected", "failed", "unknown", "expired"]  # all but: sent


def handle(event: dict) -> None:
    """Yours: must bear the same event twice."""
    for error in event.get("errors", []):  # of a job that can't be used
        print("problem", event.get("job"), event["kind"], error["field"], error["problem"], flush=True)
    for outcome in event.get("outcomes", []):
        if event["kind"] in ("unregistered", "suppressed"):
            print("dead", outcome["recipient"], outcome.get("unregistered_at"), flush=True)
        else:
            print("problem", outcome["job"], event["kind"], outcome.get("reason"), outcome["recipient"], flush=True)


def main() -> None:
    # When the connection is lost this ends with an exception, and your supervisor (Restart=always) starts it again.
    with pika.BlockingConnection(pika.URLParameters(os.environ.get("AMQP_URL", "amqp://127.0.0.1"))) as connection:
        channel = connection.channel()
        channel.queue_declare(QUEUE, durable=True, arguments={"x-queue-type": "quorum"})
        for kind in KINDS:
            channel.queue_bind(QUEUE, "martlet.results", f"*.{kind}.#")
        channel.basic_qos(prefetch_count=20)
        for method, _, body in channel.consume(QUEUE):
            handle(json.loads(body))
            channel.basic_ack(method.delivery_tag)


if __name__ == "__main__":
    main()
