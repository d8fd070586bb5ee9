"""Strangers who attack listeners of TLS, until they are ended:

    python3 tests/e2e/strangers.py silent HOW_MANY PORT...      connections that say nothing
    python3 tests/e2e/strangers.py hello A_SECOND PORT...       handshakes that are begun and left
"""
import errno
import selectors
import socket
import ssl
import sys
import time


def hello():
    """The first bytes of an honest client, as it would send them; the listener's answer is never read."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    said, heard = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context.wrap_bio(heard, said, server_hostname="localhost").do_handshake()
    except ssl.SSLWantReadError:
        pass
    return said.read()


def dial(port):
    sock = socket.socket()
    sock.setblocking(False)
    if sock.connect_ex(("127.0.0.1", port)) not in (0, errno.EINPROGRESS):
        sock.close()
        return None
    return sock


def stay_silent(ports, how_many):
    """Holds so many connections to each port, says nothing, and opens each again that is closed."""
    waiting = selectors.DefaultSelector()
    opened = 0

    def one_more(port):
        sock = dial(port)
        if sock:
            waiting.register(sock, selectors.EVENT_READ, port)

    for port in ports:
        for _ in range(how_many):
            one_more(port)
    while True:
        for key, _ in waiting.select(0.1):
            try:
                key.fileobj.recv(1)
            except BlockingIOError:
                continue
            except OSError:
                pass
            waiting.unregister(key.fileobj)
            key.fileobj.close()
            one_more(key.data)
            opened += 1
            if opened % 50 == 0:  # it shares two cores with what it attacks
                time.sleep(0.02)


def say_hello(ports, a_second):
    """Begins handshakes and leaves them unfinished: so many a second over all ports, and keeps the newest 3,000 open."""
    first, begun, at = hello(), [], time.monotonic()
    while True:
        for port in ports:
            sock = dial(port)
            if not sock:
                continue
            begun.append(sock)
            for _ in range(100):
                try:
                    sock.send(first)
                    break
                except BlockingIOError:
                    time.sleep(0.0002)
                except OSError:
                    break
        while len(begun) > 3000:
            begun.pop(0).close()
        at += len(ports) / a_second
        time.sleep(max(0, at - time.monotonic()))


{"silent": stay_silent, "hello": say_hello}[sys.argv[1]]([int(port) for port in sys.argv[3:]], int(sys.argv[2]))
