#!/usr/bin/python3
"""Publishes a part of the demo. A publisher needs only an AMQP client and JSON.

  examples/demo/publish.py AMQP_URL kinds|everywhere|campaign

Prints `first` and the time when the first job is published, in seconds since 1970.
"""
import sys
import time

sys.dont_write_bytecode = True

import pika  # noqa: E402

import campaign  # noqa: E402


def main(url: str, name: str) -> None:
    part = campaign.PARTS[name]()
    # The messages are encoded first, so that the demo measures Martlet and not Python's JSON.
    messages = [(lane, campaign.body(job)) for lane, job in part.jobs]
    connection = pika.BlockingConnection(pika.URLParameters(url))
    channel = connection.channel()
    # With confirms, basic_publish returns when the broker has stored the job safely, and raises an error otherwise.
    channel.confirm_delivery()
    properties = pika.BasicProperties(content_type="application/json", delivery_mode=2)
    print(f"first {time.time()}", flush=True)
    for lane, body in messages:
        channel.basic_publish("martlet.jobs", lane, body, properties, mandatory=True)
    connection.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
