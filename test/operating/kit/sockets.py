"""Keeps the sockets of a systemd unit open, and passes them to a service, as sd_listen_fds(3) says.

sockets.py hold UNIT        binds what the unit says, and hands it to whoever asks at /run/sockets/UNIT
sockets.py pass COMMAND...  becomes the command, with the sockets of all units
"""

import glob
import os
import socket
import sys

folder = "/run/sockets"


def settings(unit):
    paths = [f"/usr/lib/systemd/system/{unit}", f"/etc/systemd/system/{unit}"]
    found = {}
    for path in paths + sorted(glob.glob(f"/etc/systemd/system/{unit}.d/*.conf")):
        if not os.path.exists(path):
            continue
        for line in open(path):
            key, equals, value = line.strip().partition("=")
            # An empty value forgets those before.
            if equals:
                found[key] = found.get(key, []) + [value] if value else []
    return found


def bound(address, kind):
    host, port = address.rsplit(":", 1)
    one = socket.socket(socket.AF_INET, kind)
    one.bind((host, int(port)))
    if kind == socket.SOCK_STREAM:
        one.listen(4096)
    return one


def hold(unit):
    has = settings(unit)
    kinds = {"ListenStream": socket.SOCK_STREAM, "ListenDatagram": socket.SOCK_DGRAM}
    sockets = [bound(address, kind) for key, kind in kinds.items() for address in has.get(key, [])]
    assert sockets, f"{unit} has no sockets"
    assert has.get("Service", ["wolke.service"]) == ["wolke.service"]
    assert has["WantedBy"] == ["sockets.target"]
    name = has["FileDescriptorName"][0]
    os.makedirs(folder, exist_ok=True)
    door = socket.socket(socket.AF_UNIX)
    door.bind(f"{folder}/.{unit}")
    door.listen()
    # It is there once it takes questions.
    os.rename(f"{folder}/.{unit}", f"{folder}/{unit}")
    while True:
        asker, _ = door.accept()
        socket.send_fds(asker, [name.encode()], [one.fileno() for one in sockets])
        asker.close()


def hand_on(command):
    names, fds = [], []
    for path in sorted(glob.glob(f"{folder}/*.socket")):
        door = socket.socket(socket.AF_UNIX)
        door.connect(path)
        name, some, _, _ = socket.recv_fds(door, 256, 8)
        names += [name.decode()] * len(some)
        fds += some
        door.close()
    # They are moved out of the way first, because one may be where another one goes.
    moved = [os.dup2(fd, 100 + index) for index, fd in enumerate(fds)]
    for index, fd in enumerate(moved):
        os.dup2(fd, 3 + index)
        os.close(fd)
    passed = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": str(len(fds)), "LISTEN_FDNAMES": ":".join(names)}
    os.execvpe(command[0], command, os.environ | passed)


if sys.argv[1] == "hold":
    hold(sys.argv[2])
hand_on(sys.argv[2:])
