#!/usr/bin/python3
"""Publishes the demo's campaign. All that a publisher needs is here: an AMQP client and JSON.

  demo/publish.py AMQP_URL
"""
import sys

sys.dont_write_bytecode = True

import pika  # noqa: E402

import campaign  # noqa: E402


def main(url: str) -> None:
    connection = pika.BlockingConnection(pika.URLParameters(url))
    channel = connection.channel()
    # With confirms, basic_publish returns when the broker has the job safe on disk, and raises otherwise.
    channel.confirm_delivery()
    properties = pika.BasicProperties(content_type="application/json", delivery_mode=2)
    published, _ = campaign.jobs()
    for lane, job in published:
        channel.basic_publish("martlet.jobs", lane, campaign.body(job), properties, mandatory=True)
    channel.basic_publish("martlet.jobs", "normal", campaign.body(campaign.MALFORMED), properties, mandatory=True)
    connection.close()
    recipients = sum(len(job["recipients"]) for _, job in published)
    print(f"published {len(published)} jobs with {recipients} recipients, and one malformed job")


if __name__ == "__main__":
    main(sys.argv[1])
