"""One request to the REST API and its whole answer, for the tests that look at its status, headers and bytes."""
import http.client
import json
import urllib.parse

YAML = {"Content-Type": "application/yaml"}
LINES = {"Content-Type": "application/x-ndjson"}


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    def lines(self):
        return [json.loads(line) for line in self.body.splitlines()]


def call(f, method, path, body=None, headers=None, token=""):
    """The whole answer, for any status.  token None: without one."""
    where = urllib.parse.urlsplit(f.url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60)
    sent = {} if token is None else {"Authorization": f"Bearer {token or f.token}"}
    if body is not None:
        sent["Content-Type"] = "application/json"
    sent.update(headers or {})
    try:
        connection.request(method, path, json.dumps(body) if isinstance(body, (dict, list)) else body, sent)
        answer = connection.getresponse()
        got = Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
    finally:
        connection.close()
    if described:  # every answer of the test is as openapi.json says
        described[0].check(method, path, got.status, got.headers, got.body)
    return got


described = []  # the contract, once the test has read it


def events(body):
    """The events of a stream that has ended: (id, name, data)."""
    found = []
    for block in body.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line and not line.startswith(":") and ": " in line)
        if fields:
            found.append((fields.get("id", ""), fields.get("event", ""), fields.get("data", "")))
    return found
