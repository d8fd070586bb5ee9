"""Seats: neither a stranger nor the owner of one token takes those of all others."""
import http.client
import json
import socket

import fleet
import hub
from fleet import equal, shows, until

CONNECTIONS, STREAMS = 100, 40  # of a front, and there are two


def stranger(port):
    """A connection that asked once and stays."""
    sock = socket.create_connection(("127.0.0.1", port), 10)
    sock.settimeout(10)
    sock.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
    return sock


def ask(h, token, path="/v1/jobs"):
    """A connection of this token, and the status of its first answer, which is not read to its end."""
    connection = http.client.HTTPConnection("127.0.0.1", h.ports["api"], timeout=10)
    connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    return connection, connection.getresponse()


def main():
    with hub.Hub({"http_connections_max": CONNECTIONS, "followers_max": STREAMS}) as h:
        reader = h.api("POST", "/v1/tokens", {"name": "reader", "scopes": ["read"]})["token"]
        with shows("a stranger who holds all connections keeps nobody out, and closes nobody's who has a token"):
            kept, answer = ask(h, reader)
            equal((answer.status, answer.read() is not None), (200, True))
            strangers = []
            for _ in range(5 * CONNECTIONS):
                strangers.append(stranger(h.ports["api"]))
                if len(strangers) % 50 == 0:
                    equal(h.ask("GET", "/v1/jobs", timeout=10)[0], 200)
            for _ in range(20):
                equal(h.ask("GET", "/v1/jobs", timeout=10)[0], 200)
            kept.request("GET", "/v1/jobs", headers={"Authorization": f"Bearer {reader}"})
            answer = kept.getresponse()
            equal((answer.status, answer.read() is not None), (200, True))
            for sock in strangers:
                sock.close()
        with shows("one token has a quarter of the streams at most, and is told so"):
            streams, refused = [], 0
            for _ in range(4 * STREAMS):
                connection, answer = ask(h, reader, "/v1/events")
                if answer.status == 200:
                    streams.append((connection, answer))
                    continue
                equal(answer.status, 429)
                assert "http_token_percent" in json.loads(answer.read())["detail"]
                connection.close()
                refused += 1
            equal(len(streams) <= 2 * STREAMS // 4, True, f"{len(streams)} streams")
            assert refused > 0
        with shows("so another token's stream opens"):
            connection, answer = ask(h, h.token, "/v1/events")
            equal(answer.status, 200)
            connection.close()
        with shows("one token has a quarter of the connections at most"):
            for connection, _ in streams:
                connection.close()
            held, statuses = [], []
            for _ in range(2 * CONNECTIONS):
                connection, answer = ask(h, reader)
                answer.read()
                statuses.append(answer.status)
                held.append(connection)
            equal(set(statuses), {200, 429})
            assert statuses.count(200) <= 2 * CONNECTIONS // 4 + 2, statuses.count(200)
            equal(h.ask("GET", "/v1/jobs", timeout=10)[0], 200)
            for connection in held:
                connection.close()
        with shows("and may come again when it has closed them"):
            until("the token is served", lambda: ask(h, reader)[1].status == 200, 30)
    fleet.finish()


main()
