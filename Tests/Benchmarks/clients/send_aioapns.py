"""Sends with aioapns, with a fixed number of concurrent asyncio sends."""
import asyncio
import ssl

import aioapns
from aioapns.connection import APNsProductionClientProtocol

from measured import WISH, begin, tell


class Local(APNsProductionClientProtocol):
    APNS_SERVER, APNS_PORT = "localhost", WISH.port


async def main() -> None:
    with open(WISH.key) as file:
        client = aioapns.APNs(key=file.read(), key_id=WISH.key_id, team_id=WISH.team, topic=WISH.topic,
                              ssl_context=ssl.create_default_context(cafile=WISH.ca))
    client.pool.protocol_class = Local
    accepted, tokens = 0, iter(WISH.targets)

    async def send() -> None:
        nonlocal accepted
        for token in tokens:
            request = aioapns.NotificationRequest(device_token=token, message=WISH.payload, push_type=aioapns.PushType.ALERT)
            answer = await client.send_notification(request)
            accepted += answer.is_successful

    await client.send_notification(aioapns.NotificationRequest(device_token=WISH.first, message=WISH.payload))
    began = begin()
    await asyncio.gather(*(send() for _ in range(WISH.under_way)))
    tell(began, accepted)

asyncio.run(main())
