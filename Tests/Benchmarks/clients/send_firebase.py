"""Sends with firebase-admin in batches of 500 messages, in threads or with asyncio."""
import asyncio
import os

from measured import WISH, begin, tell

os.environ["REQUESTS_CA_BUNDLE"] = os.environ["SSL_CERT_FILE"] = WISH.ca

import firebase_admin  # noqa: E402
from firebase_admin import credentials, messaging  # noqa: E402

MOST = 500
messaging._MessagingService.FCM_URL = f"https://localhost:{WISH.port}/v1/projects/{{0}}/messages:send"
firebase_admin.initialize_app(credentials.Certificate(WISH.account))


def batches() -> list[list[messaging.Message]]:
    notification = messaging.Notification(**WISH.payload["notification"])
    messages = [messaging.Message(token=token, notification=notification, data=WISH.payload["data"]) for token in WISH.targets]
    return [messages[first:first + MOST] for first in range(0, len(messages), MOST)]


async def with_asyncio() -> None:
    await messaging.send_each_async([messaging.Message(token=WISH.first)])
    began = begin()
    tell(began, sum([(await messaging.send_each_async(batch)).success_count for batch in batches()]))


def with_threads() -> None:
    messaging.send(messaging.Message(token=WISH.first))
    began = begin()
    tell(began, sum(messaging.send_each(batch).success_count for batch in batches()))


if WISH.asynchronous:
    asyncio.run(with_asyncio())
else:
    with_threads()
