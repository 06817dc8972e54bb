"""What the fixtures promise, with the vendor's library."""

import os
import subprocess
from datetime import timedelta

import pytest
from hcloud import Client
from hcloud.images import Image
from hcloud.locations import Location
from hcloud.server_types import ServerType
from pytest_wolke import WolkeError


def client_of(cloud):
    return Client(token=cloud.token, api_endpoint=cloud.endpoint, api_endpoint_hetzner=cloud.endpoint)


@pytest.fixture(scope="session")
def prepared(wolke_session):
    """Something that every test finds."""
    client_of(wolke_session).firewalls.create(name="prepared")
    return wolke_session


@pytest.mark.parametrize("name", ["first", "second"])
def test_each_test_has_its_own_cloud(prepared, wolke, name):
    client = client_of(wolke)
    assert [one.name for one in client.firewalls.get_all()] == ["prepared"]
    client.firewalls.create(name=name)
    assert [one.name for one in client.firewalls.get_all()] == ["prepared", name]
    assert [one.name for one in client_of(prepared).firewalls.get_all()] == ["prepared"]


def test_time_is_moved(wolke):
    wolke.set_clock("frozen")
    before = wolke.now()
    assert wolke.advance(by="90d") == before + timedelta(days=90)
    assert wolke.advance(to=before + timedelta(days=91)) == before + timedelta(days=91)
    with pytest.raises(WolkeError) as refused:
        wolke.advance(to=before)
    assert (refused.value.code, refused.value.status) == ("invalid_input", 422)


def test_a_cloud_is_reset_and_forked(wolke):
    client = client_of(wolke)
    kind, image, place = ServerType(name="cpx22"), Image(name="debian-12"), Location(name="hel1")
    client.servers.create(name="web", server_type=kind, image=image, location=place).action.wait_until_finished()
    with wolke.fork() as fork:
        client_of(fork).servers.get_by_name("web").delete().wait_until_finished()
        assert client_of(fork).servers.get_all() == []
    assert [one.name for one in client.servers.get_all()] == ["web"]
    wolke.reset()
    assert client.servers.get_all() == []


def test_programs_find_it(wolke):
    ask = 'curl -sf -H "Authorization: Bearer $HCLOUD_TOKEN" "$HCLOUD_ENDPOINT/servers"'
    subprocess.run(["sh", "-c", ask], env={**os.environ, **wolke.environ}, check=True)
