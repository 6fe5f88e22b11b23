#!/usr/bin/python3
"""Tests of misbehaving clients, which must not harm the simulator: rude.py CASE. Prints nothing on success."""
import socket
import sys
import time

from simulation import (
    CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, PREFACE, PRIORITY, RST_STREAM, SETTINGS,
    WINDOW_UPDATE, Client, Simulator, eventually, frame, hpack)

PROTOCOL_ERROR, SETTINGS_TIMEOUT, REFUSED_STREAM, CANCEL, ENHANCE_YOUR_CALM = 1, 4, 7, 8, 11


def expect(found, wanted, what=""):
    assert found == wanted, f"{what}: {found!r}, expected {wanted!r}"


def works(simulator):
    with Client(simulator) as client:
        expect(client.answer(client.push()), (200, ""), "a push")


def end_of(client):
    """Returns the code of the GOAWAY with which the connection ends, or None if it ends without GOAWAY."""
    code = None
    for kind, _, _, payload in client.frames():
        if kind == GOAWAY:
            code = int.from_bytes(payload[4:8], "big")
    return code


# Streams


def above_the_limit():
    with Simulator() as simulator, Client(simulator) as client:
        client.limit(1)
        first, second = client.stream(), client.stream()
        # The push has no token, because a token would raise the limit.
        head = hpack(client.fields(authorization=None))
        client.send(frame(HEADERS, END_HEADERS, first, head), frame(HEADERS, END_HEADERS, second, head),
                    frame(DATA, END_STREAM, second, b"{}"))
        expect(client.answer(second), ("reset", REFUSED_STREAM))
        client.send(frame(DATA, END_STREAM, first, b"{}"))
        expect(client.answer(first), (403, '{"reason":"MissingProviderToken"}'), "the connection stays open")
        expect(client.answer(client.push()), (200, ""))
        expect(simulator.counters()["refused_streams"], 1)


def cancelled_streams():
    with Simulator() as simulator, Client(simulator) as client:
        expect(client.answer(client.push()), (200, ""))
        head = hpack(client.fields())
        for _ in range(100):
            frames = []
            for _ in range(50):
                stream = client.stream()
                frames += [frame(HEADERS, END_HEADERS, stream, head),
                           frame(RST_STREAM, 0, stream, CANCEL.to_bytes(4, "big"))]
            client.send(*frames)
        expect(client.answer(client.push()), (200, ""), "after 5,000 cancelled streams")


# Messages


def head():
    with Simulator() as simulator, Client(simulator) as client:
        stream = client.stream()
        client.send(frame(HEADERS, END_HEADERS | END_STREAM, stream, hpack(client.fields(_method="HEAD"))))
        expect(client.answer(stream), (405, ""))
        expect(client.answer(client.push(_method="PUT")), (405, '{"reason":"MethodNotAllowed"}'))


def trailers():
    with Simulator() as simulator, Client(simulator) as client:
        late = [("apns-topic", "com.example.app")]
        expect(client.answer(client.push(apns_topic=None, trailers=late)), (400, '{"reason":"MissingTopic"}'))
        late = [("authorization", f"bearer {simulator.jwt}")]
        expect(client.answer(client.push(authorization=None, trailers=late)), (403, '{"reason":"MissingProviderToken"}'))
        expect(client.answer(client.push(trailers=[("x", "y")])), (200, ""))


def repeated_fields():
    with Simulator() as simulator, Client(simulator) as client:
        refused = 400, '{"reason":"DuplicateHeaders"}'
        for name in ("apns-topic", "user-agent", "x-request-id", "accept", "apns-unique-id"):
            expect(client.answer(client.push(extra=[(name, "com.example.app")] * 2)), refused, name)
        expect(client.answer(client.push(extra=[("cookie", "a=1"), ("cookie", "b=2"), ("te", "trailers")])), (200, ""))


def malformed_requests():
    with Simulator() as simulator, Client(simulator) as client:
        expect(client.answer(client.push(extra=[("Content-Type", "secret")])), ("reset", PROTOCOL_ERROR), "upper case")
        expect(client.answer(client.push(extra=[("content-length", "3")])), ("reset", PROTOCOL_ERROR), "wrong length")
        expect(client.answer(client.push(_path=None)), ("reset", PROTOCOL_ERROR), "no path")
        expect(client.answer(client.push()), (200, ""), "the connection stays open")
        counters = simulator.counters()
        expect((counters["malformed_requests"], counters["arrivals"]), (3, 1))
        assert "Content-Type" in simulator.log and "secret" not in simulator.log, simulator.log
        client.send(frame(DATA, 0, 0, b"x"))
        expect(end_of(client), PROTOCOL_ERROR)
        eventually("the broken connection is counted", lambda: simulator.counters()["broken_connections"] == 1)
        assert "a connection broke" in simulator.log, simulator.log


# Time


def slow_handshake():
    with Simulator("--timeout", "1") as simulator:
        began = time.monotonic()
        with socket.create_connection(("127.0.0.1", simulator.port), timeout=20) as raw:
            raw.sendall(b"\x16\x03\x01\x02\x00\x01")
            expect(raw.recv(100), b"")
        assert time.monotonic() - began > 0.9, time.monotonic() - began
        expect(simulator.counters()["failed_handshakes"], 1)


def no_preface():
    with Simulator("--timeout", "1") as simulator, Client(simulator, preface=False) as client:
        client.send(PREFACE[:10])
        while client.socket.recv(1_000):
            pass
        expect(simulator.counters()["timeouts"], 1)


def endless_headers():
    with Simulator("--timeout", "1") as simulator, Client(simulator) as client:
        client.limit(1)
        client.send(frame(HEADERS, 0, client.stream(), hpack(client.fields())[:40]))
        expect(end_of(client), ENHANCE_YOUR_CALM)
        works(simulator)


def slow_body():
    with Simulator("--timeout", "1") as simulator, Client(simulator) as client:
        expect(client.answer(client.push()), (200, ""))
        stream = client.stream()
        client.send(frame(HEADERS, END_HEADERS, stream, hpack(client.fields())), frame(DATA, 0, stream, b"{"))
        expect(client.answer(stream), ("reset", CANCEL))
        expect(client.answer(client.push()), (200, ""), "the connection stays open")
        expect(simulator.counters()["timeouts"], 1)
        # A connection without requests may stay idle for any time.
        waiting = client.push(_path="/3/device/de1ade1a2500")
        expect(client.answer(waiting), (200, ""))
        time.sleep(2.5)
        expect(client.answer(client.push()), (200, ""), "an idle connection")


def stop_amid_requests():
    with Simulator() as simulator, Client(simulator) as client:
        stream = client.stream()
        client.send(frame(HEADERS, END_HEADERS, stream, hpack(client.fields())))
        shaking = socket.create_connection(("127.0.0.1", simulator.port))
        shaking.sendall(b"\x16\x03\x01")
        with socket.create_connection(("127.0.0.1", simulator.control_port)) as control:
            control.sendall(b"POST /keys HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
            time.sleep(0.3)
            expect(simulator.stop(), 0)


# Floods


def flood(what, begins=False):
    with Simulator() as simulator, Client(simulator) as client:
        client.limit(1)
        if begins:
            client.send(frame(HEADERS, END_HEADERS, client.stream(), hpack(client.fields())))
        try:
            for _ in range(400):
                client.send(what * 100)
        except OSError:
            pass
        code = end_of(client)
        assert code in (None, ENHANCE_YOUR_CALM), code
        eventually("the broken connection is counted", lambda: simulator.counters()["broken_connections"] == 1)
        works(simulator)


def pings():
    flood(frame(PING, 0, 0, b"12345678"))


def settings():
    flood(frame(SETTINGS))


def priorities():
    flood(frame(PRIORITY, 0, 99_999, bytes(5)))


def empty_data():
    flood(frame(DATA, 0, 1), begins=True)


def continuations():
    """Sends a field list without end."""
    with Simulator() as simulator, Client(simulator) as client:
        client.limit(1)
        client.send(frame(HEADERS, 0, client.stream(), hpack(client.fields())))
        try:
            for _ in range(20_000):
                client.send(frame(CONTINUATION, 0, 1, hpack([("x", "y" * 100)])))
        except OSError:
            pass
        assert end_of(client) in (None, ENHANCE_YOUR_CALM)
        works(simulator)


def unread_refusals():
    """Opens streams above the limit and never reads. The pending answers must not fill the simulator's memory."""
    with Simulator(measured=True) as simulator, Client(simulator) as client:
        client.limit(1)
        before = simulator.resident
        block = hpack(client.fields())
        client.socket.settimeout(5)
        try:
            for _ in range(3_000):
                client.send(*(frame(HEADERS, END_HEADERS, client.stream(), block) for _ in range(50)))
        except OSError:
            pass
        grown = simulator.resident - before
        assert grown < 40_000, f"{grown} KB"
        works(simulator)


def long_body():
    """Sends a body of 32 MB while requests are recorded. It must be rejected, and only its beginning kept."""
    with Simulator(measured=True) as simulator, Client(simulator) as client:
        simulator.control("PUT", "recording", {"on": True})
        expect(client.answer(client.push()), (200, ""))
        before = simulator.resident
        stream = client.stream()
        client.send(frame(HEADERS, END_HEADERS, stream, hpack(client.fields())))
        window, frames = {0: 65_535 - 10, stream: 65_535}, client.frames()
        for _ in range(2_000):
            while min(window.values()) < 16_000:
                kind, _, given, payload = next(frames)
                if kind == WINDOW_UPDATE:
                    window[given] = window.get(given, 0) + int.from_bytes(payload, "big")
            client.send(frame(DATA, 0, stream, bytes(16_000)))
            window = {key: value - 16_000 for key, value in window.items()}
        client.send(frame(DATA, END_STREAM, stream))
        expect(client.answer(stream), (413, '{"reason":"PayloadTooLarge"}'))
        grown = simulator.resident - before
        assert grown < 20_000, f"{grown} KB"
        kept = simulator.control("GET", "requests")[1]["requests"]
        expect([len(request["payload"]) for request in kept], [10, 8_192])


# Memory and descriptors


def quick_connections():
    with Simulator(measured=True) as simulator:
        for _ in range(200):
            with Client(simulator) as client:
                client.limit(1)
        before = simulator.resident
        for number in range(3_000):
            with Client(simulator) as client:
                # The simulator ends every other connection.
                if number % 2:
                    client.send(frame(DATA, 0, 0, b"x"))
                    end_of(client)
                else:
                    client.limit(1)
        grown = simulator.resident - before
        assert grown < 30_000, f"{grown} KB for 3,000 connections"
        eventually("all connections are closed", lambda: simulator.counters()["open_connections"] == 0)


def no_descriptors_left():
    with Simulator(descriptors=64) as simulator:
        crowd = []
        for _ in range(100):
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", simulator.port))
            crowd.append(one)
        eventually("the refused connection is logged", lambda: "a connection cannot be accepted" in simulator.log)
        before = simulator.processor_time
        time.sleep(2)
        used = simulator.processor_time - before
        assert used < 0.5, f"{used} s of processor time in 2 s"
        assert simulator.log.count("cannot be accepted") < 20, simulator.log
        for one in crowd:
            one.close()
        time.sleep(1.5)
        works(simulator)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
