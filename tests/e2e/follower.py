"""Clients that follow a stream as docs/api.md says: one that ends without a word goes on behind its last id."""
import http.client
import json
import threading
import time

from fleet import until


class Stream:
    """Reads in a thread of its own until the stream has said its last word, or 'stop' was called."""

    last = ()  # the names of events that end a stream

    def __init__(self, h, path):
        self.h, self.path = h, path
        self.events, self.id, self.ended_at, self.is_stopped, self.status = [], None, None, False, None
        self.thread = threading.Thread(target=self.follow, daemon=True)
        self.thread.start()

    def follow(self):
        while self.ended_at is None and not self.is_stopped:
            try:
                self.read()
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.05)

    def read(self):
        connection = self.h.connection()
        try:
            headers = {"Authorization": f"Bearer {self.h.token}", **({"Last-Event-ID": self.id} if self.id else {})}
            connection.request("GET", self.path, headers=headers)
            answer = connection.getresponse()
            self.status = answer.status
            self.begin()
            name, id_, data = "message", None, None
            while answer.status == 200 and not self.is_stopped and (line := answer.readline()).endswith(b"\n"):
                word, _, value = line.decode().rstrip("\n").partition(": ")
                if word == "id":
                    id_ = value
                elif word == "event":
                    name = value
                elif word == "data":
                    data = json.loads(value)
                elif not word and data is not None:
                    self.take(name, data, id_)
                    self.id = id_ or self.id
                    if name in self.last:
                        self.ended_at = time.monotonic()
                        return
                    name, id_, data = "message", None, None
        finally:
            connection.close()

    def begin(self):
        """A connection begins."""

    def take(self, name, data, id_):
        self.events.append((name, data))

    def stop(self):
        self.is_stopped = True

    def wait(self, limit_s):
        until(f"{self.path} ends", lambda: self.ended_at, limit_s)


class Follower(Stream):
    """Follows a job's output.  Lines count once one with an id has come; lines after the last id come again after a cut."""

    last = ("end",)

    def __init__(self, h, job):
        self.lines, self.run = [], []
        super().__init__(h, f"/v1/jobs/{job}/logs/stream")

    def begin(self):
        self.run = []

    def take(self, name, data, id_):
        super().take(name, data, id_)
        if name == "message":
            self.run.append(data)
        if id_ or name in self.last:
            self.lines += self.run
            self.run = []

    def wait(self, limit_s):
        super().wait(limit_s)
        return dict(self.events)["end"]["output"]

    def text(self):
        return "".join(line.get("text", "") for line in self.lines)

    def gaps(self):
        return [line["gap"] for line in self.lines if "gap" in line]
