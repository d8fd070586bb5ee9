"""A client of visits that is not ours: RFC 6455 and v5.channel.k8s.io by hand, of Python alone.

    with visit_client.Visit(f, f"/v1/jobs/{job}/exec?command=...") as v:
        v.put(0, b"input"); v.end_input()
        v.finish()          # reads to the CLOSE; v.out, v.err, v.status, v.close"""
import base64
import hashlib
import json
import os
import socket
import struct
import time
import urllib.parse

LONG_S = 120  # the server's pings would keep a client that waits for a word reading for ever
SUFFIX = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Refused(Exception):
    def __init__(self, status, body):
        self.status, self.body = status, body
        super().__init__(f"status {status}: {body}")


class Visit:
    def __init__(self, f, path, token=None, headers=None, timeout=60):
        where = urllib.parse.urlsplit(f.url)
        self.out, self.err, self.status, self.close, self.reason, self.closed = bytearray(), bytearray(), None, None, "", set()
        self.rest = b""
        key = base64.b64encode(os.urandom(16))
        sent = {"Host": where.netloc, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Protocol": "v5.channel.k8s.io", "Sec-WebSocket-Key": key.decode(),
                "Authorization": f"Bearer {token or f.token}", **(headers or {})}
        self.socket = socket.create_connection((where.hostname, where.port), timeout=timeout)
        if where.scheme == "https":
            self.socket = f.context().wrap_socket(self.socket, server_hostname=where.hostname)
        self.socket.sendall((f"GET {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in sent.items() if v is not None) + "\r\n").encode())
        head = b""
        while b"\r\n\r\n" not in head:
            got = self.socket.recv(1)
            if not got:
                break
            head += got
        status = int(head.split()[1])
        if status != 101:
            length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
            body = b""
            while len(body) < length:
                body += self.socket.recv(length - len(body)) or bytes(length)
            raise Refused(status, body.decode(errors="replace"))
        accept = base64.b64encode(hashlib.sha1(key + SUFFIX).digest())
        assert accept in head and b"v5.channel.k8s.io" in head, head

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    # ---- writing -------------------------------------------------------------------------------------------

    def frame(self, opcode, data, final=True):
        mask = os.urandom(4)
        head = bytes([(0x80 if final else 0) | opcode])
        if len(data) < 126:
            head += bytes([0x80 | len(data)])
        elif len(data) < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", len(data))
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", len(data))
        stream = (mask * (len(data) // 4 + 1))[:len(data)]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(stream, "big")).to_bytes(len(data), "big") if data else b""
        self.socket.sendall(head + mask + masked)

    def put(self, channel, data):
        self.frame(2, bytes([channel]) + data)

    def end_input(self):
        self.put(255, b"\0")

    def resize(self, columns, rows):
        self.put(4, json.dumps({"Width": columns, "Height": rows}).encode())

    # ---- reading -------------------------------------------------------------------------------------------

    def exactly(self, n):
        while len(self.rest) < n:
            got = self.socket.recv(1 << 16)
            if not got:
                raise ConnectionError("cut")
            self.rest += got
        taken, self.rest = self.rest[:n], self.rest[n:]
        return taken

    def step(self):
        """Takes one frame; its opcode."""
        first, second = self.exactly(2)
        length = second & 0x7f
        if length == 126:
            length = struct.unpack(">H", self.exactly(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self.exactly(8))[0]
        assert not second & 0x80, "a server does not mask"
        data, opcode = self.exactly(length), first & 0x0f
        if opcode == 2:
            channel, data = data[0], data[1:]
            if channel == 1:
                self.out += data
            elif channel == 2:
                self.err += data
            elif channel == 3:
                self.status = json.loads(data)
            elif channel == 255:
                self.closed.add(data[0])
        elif opcode == 9:
            self.frame(10, data)
        elif opcode == 8:
            self.close, self.reason = struct.unpack(">H", data[:2])[0], data[2:].decode()
        return opcode

    def step_before(self, end):
        assert time.monotonic() < end, f"nothing more for {LONG_S} s; out {bytes(self.out[-300:])!r}, status {self.status}"
        return self.step()

    def finish(self):
        end = time.monotonic() + LONG_S
        while self.close is None:
            self.step_before(end)
        try:
            self.frame(8, struct.pack(">H", 1000))
        except (BrokenPipeError, ConnectionResetError):
            pass  # the server waits 3 s for it; a busy machine's client may be later
        return self

    def until(self, look):
        end = time.monotonic() + LONG_S
        while not look(self):
            if self.step_before(end) == 8:
                raise ConnectionError(f"closed with {self.close} {self.reason!r}; out {self.out!r}, err {self.err!r}, status {self.status}")

    @property
    def exit_code(self):
        if self.status["status"] == "Success":
            return 0
        return int(next(c["message"] for c in self.status["details"]["causes"] if c["reason"] == "ExitCode"))


def command(*words, **more):
    return urllib.parse.urlencode({"command": json.dumps(words), **more})
