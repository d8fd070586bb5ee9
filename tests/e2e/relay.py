"""A TCP relay that a test puts between an agent and the control plane, to cut and freeze what goes through it."""
import select
import socket
import struct
import threading
import time


class Wire:
    def __init__(self, client, server):
        self.ends, self.frozen, self.is_gone = (client, server), [False, False], False
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
                data = self.ends[side].recv(65536)
                if not data:
                    break
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
    """Every connection to 'port' goes on to 'to'.  What is cut or frozen are the connections of now, not later ones."""

    def __init__(self, to):
        self.to, self.wires, self.lock = to, [], threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
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
                self.wires = [wire for wire in self.wires if not wire.is_gone] + [Wire(client, server)]

    def now(self):
        with self.lock:
            return [wire for wire in self.wires if not wire.is_gone]

    def cut(self):
        for wire in self.now():
            wire.end(is_reset=True)

    def freeze(self, up=True, down=True):
        """Half-open: the connections stay, and nothing comes through in these directions.  The wires, for 'thaw'."""
        wires = self.now()
        for wire in wires:
            wire.frozen = [up, down]
        return wires


def thaw(wires):
    for wire in wires:
        wire.frozen = [False, False]
