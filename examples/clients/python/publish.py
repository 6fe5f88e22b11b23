#!/usr/bin/python3
"""Publishes a job: AMQP_URL=amqp://user:password@host python3 publish.py ID TOKEN...

Requires pika: Debian's python3-pika, or `pip install pika` in a virtual environment.
"""
import json
import os
import sys

import pika


def connect(url: str) -> pika.BlockingConnection:
    parameters = pika.URLParameters(url)
    parameters.blocked_connection_timeout = 10  # a broker with a memory or disk alarm confirms nothing
    return pika.BlockingConnection(parameters)


def publish(channel: pika.adapters.blocking_connection.BlockingChannel, job: dict, lane: str = "normal") -> None:
    """Returns when the broker has confirmed the job. Raises UnroutableError, NackError or a connection error."""
    properties = pika.BasicProperties(
        message_id=job["id"], content_type="application/json", delivery_mode=2)  # 2: persistent
    channel.basic_publish("martlet.jobs", lane, json.dumps(job).encode(), properties, mandatory=True)


def main(job_id: str, *tokens: str) -> None:
    # Keep one connection for the life of the process. After an error open another and publish again with the same id.
    with connect(os.environ.get("AMQP_URL", "amqp://127.0.0.1")) as connection:
        channel = connection.channel()
        channel.confirm_delivery()
        publish(channel, {
            "id": job_id,
            "app": "com.example.shop",
            "recipients": [{"token": token} for token in tokens],
            "payload": {"aps": {"alert": "Your order is on its way"}},
        })


if __name__ == "__main__":
    main(*sys.argv[1:])
