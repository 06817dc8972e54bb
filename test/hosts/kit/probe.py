"""Sends what a test asks for and says what became of it: `arrived` or `lost`.

probe.py tcp|icmp ADDRESS [PORT]    whether something answers there; a refused connection is an answer
probe.py send PROTOCOL MARK ADDRESS [PORT]
                                    sends some packets of an IP protocol, given by its number, which end with a mark
probe.py listen PROTOCOL MARK       says `ready`, and then whether such a packet came
"""

import os
import select
import socket
import struct
import sys
import time

BODY = b"a packet of a test"
PATIENCE = 1.5


def family_of(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF


def connects(address, port):
    with socket.socket(family_of(address), socket.SOCK_STREAM) as connection:
        connection.settimeout(PATIENCE)
        try:
            connection.connect((address, port))
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
        return True


def echoes(address):
    is_old = family_of(address) == socket.AF_INET
    protocol = socket.IPPROTO_ICMP if is_old else socket.IPPROTO_ICMPV6
    ask, answer = (8, 0) if is_old else (128, 129)
    ident = os.getpid() & 0xFFFF
    body = BODY
    with socket.socket(family_of(address), socket.SOCK_RAW, protocol) as raw:
        deadline = time.monotonic() + PATIENCE
        for number in range(3):
            head = struct.pack("!BBHHH", ask, 0, 0, ident, number)
            if is_old:
                head = struct.pack("!BBHHH", ask, 0, checksum(head + body), ident, number)
            try:
                raw.sendto(head + body, (address, 0))
            except OSError:
                return False
            until = deadline if number == 2 else min(deadline, time.monotonic() + 0.4)
            while select.select([raw], [], [], max(0, until - time.monotonic()))[0]:
                packet = raw.recv(2048)[20 if is_old else 0 :]
                kind, _, _, of = struct.unpack("!BBHH", packet[:6])
                if (kind, of) == (answer, ident):
                    return True
    return False


def send(protocol, mark, address, port=0):
    kind = socket.SOCK_DGRAM if protocol == socket.IPPROTO_UDP else socket.SOCK_RAW
    with socket.socket(family_of(address), kind, protocol) as sender:
        for _ in range(3):
            try:
                sender.sendto(mark.encode(), (address, int(port)))
            except ConnectionRefusedError:
                # That nobody listens is said of the one before.
                pass


def hears(protocol, mark):
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, protocol) as raw:
        print("ready", flush=True)
        deadline = time.monotonic() + PATIENCE
        while select.select([raw], [], [], max(0, deadline - time.monotonic()))[0]:
            if raw.recv(2048).endswith(mark.encode()):
                return True
    return False


def main(command, *args):
    if command == "tcp":
        return connects(args[0], int(args[1]))
    if command == "icmp":
        return echoes(args[0])
    if command == "send":
        return send(int(args[0]), *args[1:])
    return hears(int(args[0]), args[1])


print("arrived" if main(*sys.argv[1:]) else "lost")
