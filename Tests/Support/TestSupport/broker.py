"""broker.py URL counts QUEUE... | consumers QUEUE | delete-queues QUEUE... | delete-exchanges EXCHANGE... | bodies QUEUE
          | bind-short QUEUE LENGTH EXCHANGE | unbind QUEUE EXCHANGE

Commands to the broker that only tests need. Prints counts and bodies as JSON. The command `bodies` leaves the messages
in their queue. The command `consumers` prints 0 for a queue that does not exist.
"""
import json
import sys

import pika

url, command, *names = sys.argv[1:]
connection = pika.BlockingConnection(pika.URLParameters(url))
channel = connection.channel()
if command == "counts":
    print(json.dumps({name: channel.queue_declare(name, passive=True).method.message_count for name in names}))
elif command == "consumers":
    try:
        print(channel.queue_declare(names[0], passive=True).method.consumer_count)
    except pika.exceptions.ChannelClosedByBroker:
        print(0)
elif command == "bodies":
    messages = []
    while (message := channel.basic_get(names[0]))[0]:
        messages.append({"body": message[2].decode(errors="replace"), "id": message[1].message_id or "",
                         "isPersistent": message[1].delivery_mode == 2,
                         "reason": (message[1].headers or {}).get("x-martlet-reason", "")})
    print(json.dumps(messages))
elif command == "delete-queues":
    for name in names:
        channel.queue_delete(name)
elif command == "delete-exchanges":
    for name in names:
        channel.exchange_delete(name)
elif command == "bind-short":
    queue, length, exchange = names
    # The queue is classic. If the broker is killed while it declares a quorum queue, the queue may never exist.
    channel.queue_declare(queue, durable=True, arguments={
        "x-queue-type": "classic", "x-max-length": int(length), "x-overflow": "reject-publish"})
    channel.queue_bind(queue, exchange, "#")
elif command == "unbind":
    queue, exchange = names
    channel.queue_unbind(queue, exchange, "#")
    channel.queue_purge(queue)
connection.close()
