"""Binds sockets, passes them to a program as a service manager does, and starts it again when told so.

activator.py NAME:KIND... -- COMMAND...

It prints the ports as one line of JSON. A line on standard input ends the program, waits until it has ended, and starts it
again unless the line is "stop"; at the end of standard input it waits until the program ends by itself.
"""

import json
import os
import signal
import socket
import sys

kinds = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM, "unix": socket.SOCK_STREAM}
split = sys.argv.index("--")
names, command = sys.argv[1:split], sys.argv[split + 1 :]
sockets, ports = [], {}
for wanted in names:
    name, kind = wanted.split(":")
    family = {"unix": socket.AF_UNIX}.get(kind, socket.AF_INET)
    one = socket.socket(family, kinds[kind])
    # The sockets of the name server are on the same port.
    port = ports.get(name, 0) if kind == "udp" else 0
    one.bind("" if kind == "unix" else ("127.0.0.1", port))
    if kind != "udp":
        one.listen(4096)
    if kind != "unix":
        ports[name] = one.getsockname()[1]
    sockets.append(one)


def start():
    pid = os.fork()
    if pid:
        return pid
    # They are moved out of the way first, because one may be where another one goes.
    moved = [os.dup2(one.fileno(), 100 + index) for index, one in enumerate(sockets)]
    for index, one in enumerate(moved):
        os.dup2(one, 3 + index)
        os.close(one)
    env = os.environ | {
        "LISTEN_PID": str(os.getpid()),
        "LISTEN_FDS": str(len(sockets)),
        "LISTEN_FDNAMES": ":".join(wanted.split(":")[0] for wanted in names),
    }
    os.execve(command[0], command, env)


def ended(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


running = start()
print(json.dumps(ports), flush=True)
for line in sys.stdin:
    os.kill(running, signal.SIGTERM)
    code = ended(running)
    if line == "stop\n":
        sys.exit(code)
    running = start()
    print(json.dumps({"ended": code}), flush=True)
sys.exit(ended(running))
