"""Sends with a PyAPNs2 batch, which keeps as many requests under way on its one connection as the server allows."""
import collections
import collections.abc
import ssl

# PyAPNs2 uses hyper, which was written for older versions of Python.
for name in ("Iterable", "Mapping", "MutableMapping", "MutableSet"):
    setattr(collections, name, getattr(collections.abc, name))
if not hasattr(ssl, "match_hostname"):
    ssl.match_hostname = lambda *_: None

import hyper.tls  # noqa: E402
from apns2.client import APNsClient, Notification  # noqa: E402
from apns2.credentials import TokenCredentials  # noqa: E402
from apns2.payload import Payload  # noqa: E402

from measured import WISH, begin, tell  # noqa: E402

hyper.tls.cert_loc = WISH.ca
APNsClient.LIVE_SERVER, APNsClient.DEFAULT_PORT = "localhost", WISH.port
client = APNsClient(TokenCredentials(WISH.key, WISH.key_id, WISH.team))
payload = Payload(alert=WISH.payload["aps"]["alert"], sound=WISH.payload["aps"]["sound"])
client.send_notification(WISH.first, payload, WISH.topic)
began = begin()
results = client.send_notification_batch([Notification(token, payload) for token in WISH.targets], WISH.topic)
tell(began, sum(result == "Success" for result in results.values()))
