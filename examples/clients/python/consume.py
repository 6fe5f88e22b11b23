#!/usr/bin/python3
"""Prints dead tokens and problems: AMQP_URL=amqp://user:password@host python3 consume.py

Requires pika: Debian's python3-pika, or `pip install pika` in a virtual environment.
"""
import json
import os

import pika

QUEUE = "shop.push-results"
KINDS = ["unregistered", "suppressed", "rejected", "failed", "unknown", "expired"]  # every kind except "sent"


def handle(event: dict) -> None:
    """Replace this with your own handling. The same event may arrive twice."""
    for error in event.get("errors", []):  # only if the job was rejected as a whole
        print("problem", event.get("job"), event["kind"], error["field"], error["problem"], flush=True)
    for outcome in event.get("outcomes", []):
        if event["kind"] in ("unregistered", "suppressed"):
            print("dead", outcome["recipient"], outcome.get("unregistered_at"), flush=True)
        else:
            detail = f" ({outcome['detail']})" if "detail" in outcome else ""
            print("problem", outcome["job"], event["kind"], outcome.get("reason", ""), outcome["recipient"] + detail, flush=True)


def main() -> None:
    # If the connection is lost, pika raises an exception and the program ends. A supervisor must restart it (Restart=always).
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
