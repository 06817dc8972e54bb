"""Fixtures of pytest for tests of infrastructure code: a cloud of its own for each test.

`wolke` is a fork, made for one test, of `wolke_session`, which lives as long as all tests. What is set up in the latter
once is there in each of the former. Under `wolke exec` the cloud of that command is taken, and else one is started by
WOLKE_BIN (a command line), by `wolke` where that is a program, or by the package that npm has installed.
"""

import json
import os
import secrets
import shlex
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest


class WolkeError(Exception):
    """A cloud refused something. The codes are those of the API, such as `not_found`."""

    def __init__(self, status, error):
        super().__init__(f"{error['message']} ({error['code']})")
        self.status = status
        self.code = error["code"]
        self.details = error.get("details")


class Wolke:
    """A cloud. `endpoint` and `token` are for clients of the API; the rest asks what only Wolke has."""

    def __init__(self, endpoint, token, url, lab_token):
        self.endpoint = endpoint
        self.token = token
        self.url = url
        self._lab_token = lab_token

    @property
    def environ(self):
        """The variables by which programs find this cloud, such as Terraform and hcloud."""
        storage = self.endpoint.removesuffix("/v1") + "/storage/v1"
        return {"HCLOUD_ENDPOINT": self.endpoint, "HETZNER_ENDPOINT": storage, "HCLOUD_TOKEN": self.token}

    def now(self):
        """The time of its clock, an aware datetime."""
        return _time(self.lab("GET", "/clock"))

    def advance(self, by=None, to=None):
        """Moves time on, by a duration such as `30d` or to a datetime, and lets happen what is due. Returns the time."""
        target = {"by": by} if to is None else {"to": to.isoformat().replace("+00:00", "Z")}
        return _time(self.lab("POST", "/clock/advance", target))

    def set_clock(self, mode):
        """Lets time run (`running`), stand still (`frozen`) or skip to what somebody waits for (`skip`)."""
        self.lab("PUT", "/clock", {"mode": mode})

    def reset(self):
        """Puts everything back as it was at the beginning."""
        self.lab("POST", "/reset")

    @contextmanager
    def fork(self):
        """A cloud that begins as this one is now and goes its own way; it ends with the block."""
        fork = self.lab("POST", "/forks", {"ttl": "24d"})["fork"]
        try:
            yield Wolke(fork["base_url"], self.token, fork["wolke_url"], self._lab_token)
        finally:
            self.lab("DELETE", f"/forks/{fork['id']}")

    def lab(self, method, path, body=None):
        """Asks what only Wolke has, below /wolke/v1. Raises WolkeError."""
        headers = {"Authorization": f"Bearer {self._lab_token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        # Proxies of the environment are for others.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request) as reply:
                text = reply.read()
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise WolkeError(refusal.code, json.load(refusal)["error"]) from None
        return json.loads(text) if text else None


def _time(reply):
    return datetime.fromisoformat(reply["clock"]["now"].replace("Z", "+00:00"))


@contextmanager
def start(*options):
    """A new cloud, with further options of `wolke serve`. It ends with the block."""
    with tempfile.TemporaryDirectory(prefix="wolke-pytest-") as folder:
        ready = Path(folder, "ready.json")
        token = secrets.token_hex(32)
        # A token in the arguments could be read by every account of the machine.
        environment = {**os.environ, "WOLKE_TOKEN": token, "TMPDIR": folder}
        with open(Path(folder, "log"), "w+b") as log:
            server = subprocess.Popen([*_program(), *_options(ready), *options], stdout=log, stderr=log, env=environment)
            try:
                found = _wait(ready, server, log)
                base = found["base_url"]
                yield Wolke(base, token, base.removesuffix("/v1") + "/wolke/v1", found["lab_token"])
            finally:
                server.terminate()
                server.wait()


def _program():
    if "WOLKE_BIN" in os.environ:
        return shlex.split(os.environ["WOLKE_BIN"])
    return ["wolke"] if shutil.which("wolke") else ["npx", "--no-install", "wolke"]


def _options(ready):
    free = ["--listen", "127.0.0.1:0", "--dns-listen", "127.0.0.1:0", "--metadata-listen", "127.0.0.1:0"]
    return ["serve", "--database", "memory", *free, "--rate-limit", "off", "--ready-file", str(ready)]


def _wait(ready, server, log):
    while not ready.exists():
        if server.poll() is not None:
            log.seek(0)
            raise RuntimeError(f"wolke ended with {server.returncode}: {log.read().decode()}")
        time.sleep(0.02)
    return json.loads(ready.read_text())


@pytest.fixture(scope="session")
def wolke_session():
    """The cloud of all tests."""
    if "WOLKE_LAB_TOKEN" in os.environ:
        yield Wolke(*(os.environ[name] for name in ("HCLOUD_ENDPOINT", "HCLOUD_TOKEN", "WOLKE_URL", "WOLKE_LAB_TOKEN")))
    else:
        with start() as cloud:
            yield cloud


@pytest.fixture
def wolke(wolke_session):
    """A cloud for one test."""
    with wolke_session.fork() as cloud:
        yield cloud
