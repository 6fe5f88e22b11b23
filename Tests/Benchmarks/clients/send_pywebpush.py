"""Sends with pywebpush's webpush_async and one aiohttp session, with a fixed number of concurrent sends."""
import asyncio
import base64
import json
import ssl
import urllib.request

import aiohttp
import pywebpush
from cryptography.hazmat.primitives import serialization
from py_vapid import Vapid02

from measured import WISH, begin, tell


def subscriptions(vapid: Vapid02, count: int) -> list[dict]:
    point = vapid.public_key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    wish = {"persona": "google", "application_server_key": base64.urlsafe_b64encode(point).rstrip(b"=").decode(), "count": count}
    request = urllib.request.Request(f"http://127.0.0.1:{WISH.control}/subscriptions", data=json.dumps(wish).encode())
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


async def main() -> None:
    vapid = Vapid02()
    vapid.generate_keys()
    first, *others = subscriptions(vapid, WISH.count + 1)
    targets, claims, accepted = iter(others), {"sub": "mailto:bench@example.com"}, 0
    trust = aiohttp.TCPConnector(ssl=ssl.create_default_context(cafile=WISH.ca), limit=WISH.under_way)
    async with aiohttp.ClientSession(connector=trust) as session:
        async def push(target: dict) -> bool:
            answer = await pywebpush.webpush_async(target, WISH.payload, vapid_private_key=vapid, vapid_claims=claims, ttl=3600,
                                                   aiohttp_session=session)
            return answer.status == 201

        async def send() -> None:
            nonlocal accepted
            for target in targets:
                taken = await push(target)
                accepted += taken

        await push(first)
        began = begin()
        await asyncio.gather(*(send() for _ in range(WISH.under_way)))
        tell(began, accepted)

asyncio.run(main())
