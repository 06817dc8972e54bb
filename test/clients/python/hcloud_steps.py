"""What the scripts with the Python library share: the client, and what must hold of its answers."""

import inspect
import json
import os

from hcloud import APIException, Client

ENDPOINTS = {"api_endpoint": os.environ["HCLOUD_ENDPOINT"]}
# The first major version knows no second endpoint.
if "api_endpoint_hetzner" in inspect.signature(Client).parameters:
    ENDPOINTS["api_endpoint_hetzner"] = os.environ["HETZNER_ENDPOINT"]

client = Client(
    token=os.environ["HCLOUD_TOKEN"],
    **ENDPOINTS,
    application_name="client-test",
    poll_interval=0.02,
)
# The first major version knows no zones, no correlation ids, and no locations of servers and Primary IPs.
IS_RECENT = hasattr(client, "zones")

steps = []


def step(name):
    steps.append(name)


def expect(actual, expected):
    if actual != expected:
        raise AssertionError(f"expected {expected!r}, got {actual!r}")


def refused(code, call, *arguments, **options):
    """The error of a call that must fail with this code."""
    try:
        call(*arguments, **options)
    except APIException as error:
        expect(error.code, code)
        if IS_RECENT:
            assert int(error.correlation_id, 16) >= 0, error.correlation_id
        return error
    raise AssertionError(f"{code} expected, but the call went through")


def finish(*actions):
    for action in actions:
        action.wait_until_finished(max_retries=3000)
        expect((action.status, action.progress, action.error), ("success", 100, None))


def made(response):
    """What a request made, once all its actions have ended."""
    finish(response.action, *getattr(response, "next_actions", []))


def report(**left):
    """Prints what has been done, and how many resources of each kind are left."""
    print(json.dumps({"steps": steps, "left": left}))
