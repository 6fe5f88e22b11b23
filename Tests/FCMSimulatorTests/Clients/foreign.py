#!/usr/bin/python3
"""Runs Google's clients, and others, against the simulator of FCM: foreign.py CLIENT FOLDER. Prints nothing on success. Exits
with 77 and a line if the client is not available."""
import json
import os
import socket
import ssl
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "..", "Support", "Clients"))
from double import Double  # noqa: E402
from packages import with_packages  # noqa: E402

PROJECT = "simulated-project"
TOKEN, DEAD = "device-1:APA91bExample", "dead0404-1:APA91bExample"
PACKAGES = {
    "google_auth": ["google-auth==2.62.2", "requests==2.34.2"],
    "firebase_admin": ["firebase-admin==7.7.0"],
    "google_api": ["google-api-python-client==2.202.0"],
}


def account_file(double):
    return os.path.join(double.directory, "service-account.json")


def google_auth(double):
    """Obtains a token with google-auth and sends messages with requests, over HTTP/1.1."""
    import requests
    from google.auth.exceptions import RefreshError
    from google.auth.transport.requests import Request
    from google.oauth2 import service_account
    os.environ["REQUESTS_CA_BUNDLE"] = double.ca
    scopes = ["https://www.googleapis.com/auth/firebase.messaging"]
    session = requests.Session()
    credentials = service_account.Credentials.from_service_account_file(account_file(double), scopes=scopes)
    credentials.refresh(Request(session=session))
    assert credentials.valid and credentials.token.startswith("ya29."), credentials.token

    def send(token, bearer=credentials.token):
        answer = session.post(
            f"https://localhost:{double.port}/v1/projects/{PROJECT}/messages:send",
            json={"message": {"token": token, "notification": {"title": "hi"}}},
            headers={"authorization": f"Bearer {bearer}"}, timeout=20)
        return answer.status_code, answer.json()
    status, body = send(TOKEN)
    assert status == 200 and body["name"].startswith(f"projects/{PROJECT}/messages/0:"), body
    status, body = send(DEAD)
    assert status == 404 and body["error"]["details"][0]["errorCode"] == "UNREGISTERED", body
    assert send(TOKEN, "ya29.other")[0] == 401
    with open(account_file(double)) as file:
        account = json.load(file)
    account["client_email"] = "nobody@example.com"
    stranger = service_account.Credentials.from_service_account_info(account, scopes=scopes)
    try:
        stranger.refresh(Request(session=session))
        raise AssertionError("not refused")
    except RefreshError as error:
        assert "invalid_grant" in str(error), error


def firebase_admin(double):
    """Sends with Google's SDK."""
    os.environ["REQUESTS_CA_BUNDLE"] = os.environ["SSL_CERT_FILE"] = double.ca
    import firebase_admin as library
    from firebase_admin import credentials, exceptions, messaging
    messaging._MessagingService.FCM_URL = f"https://localhost:{double.port}/v1/projects/{{0}}/messages:send"
    app = library.initialize_app(credentials.Certificate(account_file(double)))
    name = messaging.send(messaging.Message(
        token=TOKEN, notification=messaging.Notification(title="hi", body="there"), data={"n": "1"},
        android=messaging.AndroidConfig(
            ttl=3600.5, priority="high", collapse_key="k",
            notification=messaging.AndroidNotification(
                title="t", vibrate_timings_millis=[100, 250], visibility="public", notification_count=2,
                light_settings=messaging.LightSettings("#ff0000", 100, 200))),
        apns=messaging.APNSConfig(headers={"apns-priority": "5"}, payload=messaging.APNSPayload(
            aps=messaging.Aps(alert=messaging.ApsAlert(title="t"), badge=1, content_available=True))),
        webpush=messaging.WebpushConfig(
            headers={"TTL": "60"}, notification=messaging.WebpushNotification(title="t", icon="i"),
            fcm_options=messaging.WebpushFCMOptions(link="https://example.com"))))
    assert name.startswith(f"projects/{PROJECT}/messages/0:"), name
    assert messaging.send(messaging.Message(topic="news", data={"n": "1"})).split("/")[-1].isdigit()
    assert messaging.send(messaging.Message(condition="'a' in topics && 'b' in topics"), dry_run=True)

    def refused(token, kind):
        try:
            messaging.send(messaging.Message(token=token))
        except kind:
            return
        raise AssertionError(f"{token} is not refused")
    refused(DEAD, messaging.UnregisteredError)
    refused("bad00403-1:APA91b", messaging.SenderIdMismatchError)
    refused("bad00429-1:APA91b", messaging.QuotaExceededError)
    refused("bad00401-1:APA91b", messaging.ThirdPartyAuthError)
    refused("bad00400-1:APA91b", exceptions.InvalidArgumentError)
    batch = messaging.send_each([messaging.Message(token=f"device-{number}:APA91bMany") for number in range(40)])
    assert batch.success_count == 40, [response.exception for response in batch.responses]
    library.delete_app(app)
    accepted = double.control("GET", "counters")["by_status"]["200"]
    assert accepted >= 44, accepted


def google_api(double):
    """Sends with the client that Google generates from its API description."""
    os.environ["HTTPLIB2_CA_CERTS"] = double.ca
    from google.oauth2 import service_account
    from googleapiclient import discovery, errors
    credentials = service_account.Credentials.from_service_account_file(
        account_file(double), scopes=["https://www.googleapis.com/auth/cloud-platform"])
    service = discovery.build(
        "fcm", "v1", credentials=credentials, cache_discovery=False, static_discovery=True,
        client_options={"api_endpoint": f"https://localhost:{double.port}"})
    messages = service.projects().messages()

    def send(**message):
        return messages.send(parent=f"projects/{PROJECT}", body={"message": message}).execute()
    name = send(
        token=TOKEN, notification={"title": "hi"}, data={"n": "1"},
        android={"priority": "HIGH", "collapseKey": "k", "ttl": "3.5s", "notification": {
            "notificationCount": 2.0, "notificationPriority": "PRIORITY_MAX",
            "lightSettings": {"color": {"red": 1, "alpha": 0.5}, "lightOnDuration": "1s"}}},
        apns={"headers": {"apns-priority": "5"}, "payload": {"aps": {"alert": "t"}}}, webpush=None)["name"]
    assert name.startswith(f"projects/{PROJECT}/messages/0:"), name
    assert send(token=TOKEN, androidV2={"ttl": "60s", "remoteNotification": {"notification": {"id": 7}}})["name"]
    checked = messages.send(
        parent=f"projects/{PROJECT}", body={"validateOnly": True, "message": {"topic": "news"}}, fields="name",
        prettyPrint=True, x__xgafv="2").execute()
    assert checked["name"], checked
    for message, status in (({"token": DEAD}, 404), ({"token": TOKEN, "android": {"notification": {
            "notificationCount": 2.5}}}, 400), ({"token": TOKEN, "android": {}, "androidV2": {}}, 400)):
        try:
            send(**message)
            raise AssertionError(f"{message} is not refused")
        except errors.HttpError as error:
            assert error.status_code == status, error


def greedy(double):
    """Ignores the limit in SETTINGS. The simulator must accept 100 streams and end the connection at the next one."""
    import h2.connection
    import h2.events
    context = ssl.create_default_context(cafile=double.ca)
    context.set_alpn_protocols(["h2"])
    raw = socket.create_connection(("127.0.0.1", double.port), timeout=20)
    with context.wrap_socket(raw, server_hostname="localhost") as tls:
        connection = h2.connection.H2Connection()
        connection.initiate_connection()
        connection.remote_settings.max_concurrent_streams = 100
        # A request stays open as long as its body has not ended.
        fields = [(":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", "/token")]
        tls.sendall(connection.data_to_send())
        seen = []

        def read_until(kind):
            while not any(isinstance(event, kind) for event in seen):
                data = tls.recv(65536)
                assert data, seen
                seen.extend(connection.receive_data(data))
                tls.sendall(connection.data_to_send())
        read_until(h2.events.RemoteSettingsChanged)
        assert connection.remote_settings.max_concurrent_streams == 100
        for _ in range(100):
            connection.send_headers(connection.get_next_available_stream_id(), fields)
        connection.ping(b"are here")
        tls.sendall(connection.data_to_send())
        read_until(h2.events.PingAckReceived)
        assert not any(isinstance(event, h2.events.ConnectionTerminated) for event in seen)
        type(connection).open_outbound_streams = property(lambda self: 0)
        connection.send_headers(connection.get_next_available_stream_id(), fields)
        tls.sendall(connection.data_to_send())
        while True:
            data = tls.recv(65536)
            if not data:
                break
            seen.extend(connection.receive_data(data))
        ends = [(event.error_code, event.additional_data) for event in seen
                if isinstance(event, h2.events.ConnectionTerminated)]
        assert ends == [(1, b"exceeded_max_concurrent_streams")], seen


CLIENTS = {client.__name__: client for client in (google_auth, firebase_admin, google_api, greedy)}

if __name__ == "__main__":
    wanted = sys.argv[1]
    if wanted in PACKAGES:
        with_packages(wanted, PACKAGES[wanted], sys.argv[2])
    with Double("fcm") as double_of_fcm:
        CLIENTS[wanted](double_of_fcm)
