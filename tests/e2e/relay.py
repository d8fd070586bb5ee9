"""A TCP relay that a test puts between an agent and the control plane, to cut, freeze and slow what goes through it."""
import select
import socket
import struct
import threading
import time


class Wire:
    def __init__(self, relay, client, server):
        self.relay, self.ends, self.frozen, self.is_gone = relay, (client, server), [False, False], False
        threading.Thread(target=self.carry, args=(0,), daemon=True).start()
        threading.Thread(target=self.carry, args=(1,), daemon=True).start()

    def carry(self, side):
        """From that end (0: the client's) to the other, until either is gone."""
        try:
            while not self.is_gone:
                if self.frozen[side]:
                    time.sleep(0.05)
                    continue
                if not select.select([self.ends[side]], [], [], 0.2)[0] or self.frozen[side]:
                    continue
                data = self.ends[side].recv(self.relay.bytes_max)
                if not data:
                    break
                time.sleep(self.relay.pause_s)
                self.ends[1 - side].sendall(data)
        except (OSError, ValueError):  # the latter: closed meanwhile
            pass
        self.end()

    def end(self, is_reset=False):
        self.is_gone = True
        for end in self.ends:
            try:
                if is_reset:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    end.close()
                else:
                    end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Relay:
    """Every connection to 'port' goes on to 'to'.  'cut' and 'freeze' act on the present connections, not on later ones."""

    def __init__(self, to):
        self.to, self.wires, self.lock = to, [], threading.Lock()
        self.go_at_speed()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)  # a slow wire holds little
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.to), 10)
            except OSError:
                client.close()
                continue
            with self.lock:
                self.wires = [wire for wire in self.wires if not wire.is_gone] + [Wire(self, client, server)]

    def now(self):
        with self.lock:
            return [wire for wire in self.wires if not wire.is_gone]

    def cut(self):
        for wire in self.now():
            wire.end(is_reset=True)

    def go_slow(self, bytes_max, pause_s):
        """Each way of each connection, also of later ones: so many bytes at a time, and each time so late."""
        self.bytes_max, self.pause_s = bytes_max, pause_s

    def go_at_speed(self):
        self.go_slow(65536, 0)

    def freeze(self, up=True, down=True):
        """Half-open: the connections stay, and nothing comes through in these directions.  The wires, for 'thaw'."""
        wires = self.now()
        for wire in wires:
            wire.frozen = [up, down]
        return wires


def thaw(wires):
    for wire in wires:
        wire.frozen = [False, False]
