"""The main job through the real Python library: prints a summary line as JSON, or fails with a traceback."""

import json
import os
import sys

import requests
from hcloud_steps import ENDPOINTS, IS_RECENT, client, expect, finish, refused, report, step

from hcloud import Client
from hcloud.actions import ActionFailedException
from hcloud.firewalls import (
    FirewallResource,
    FirewallResourceLabelSelector,
    FirewallRule,
)
from hcloud.images import Image
from hcloud.locations import Location
from hcloud.server_types import ServerType
from hcloud.servers import Server

EVERYBODY = ["0.0.0.0/0", "::/0"]


def rule_rows(firewall):
    return [
        (rule.direction, rule.protocol, rule.port, rule.source_ips, rule.destination_ips, rule.description)
        for rule in firewall.rules
    ]


def targets(firewall):
    return [
        (item.type, item.server.id if item.server else item.label_selector.selector) for item in firewall.applied_to
    ]


def change_zone(method, path="", body=None):
    """Without a client for zones, which older versions do not have."""
    url = os.environ["HCLOUD_ENDPOINT"] + "/zones" + path
    headers = {"authorization": "Bearer " + os.environ["HCLOUD_TOKEN"]}
    expect(requests.request(method, url, headers=headers, json=body, timeout=30).status_code, 201)


# SSH key
key = client.ssh_keys.create(name="laptop", public_key=sys.argv[1], labels={"team": "core"})
expect(client.ssh_keys.get_by_fingerprint(key.fingerprint).id, key.id)
expect(client.ssh_keys.get_by_name("laptop").public_key, sys.argv[1])
error = refused("uniqueness_error", lambda: client.ssh_keys.create(name="again", public_key=sys.argv[1]))
expect(error.message, "SSH key not unique: the public key is there already")
expect(key.update(name="desktop", labels={}).labels, {})
step("ssh key")

# Certificate, uploaded
pair = json.load(sys.stdin)
certificate = client.certificates.create(name="web", labels={"env": "test"}, **pair)
expect((certificate.type, certificate.status), (certificate.TYPE_UPLOADED, None))
expect((certificate.certificate, certificate.domain_names), (pair["certificate"], ["www.example.com"]))
assert certificate.not_valid_before < certificate.not_valid_after, certificate.not_valid_after
expect(client.certificates.get_by_name("web").fingerprint, certificate.fingerprint)
expect(certificate.get_actions(), [])
error = refused("invalid_input", lambda: client.certificates.create("x", pair["certificate"], "nonsense"))
expect(error.details["fields"][0]["name"], "private_key")
error = refused("unsupported_error", certificate.retry_issuance)
expect(error.message, "certificate not retryable")
expect(certificate.update(name="site", labels={}).name, "site")
expect([c.id for c in client.certificates.get_all(name="site")], [certificate.id])
expect(certificate.delete(), True)
refused("not_found", lambda: client.certificates.get_by_id(certificate.id))
step("certificate")

# Certificate, managed
change_zone("POST", body={"name": "managed.example", "mode": "primary"})
issuing = client.certificates.create_managed(name="auto", domain_names=["managed.example", "*.managed.example"])
expect((issuing.certificate.status.issuance, issuing.action.command), ("pending", "create_certificate"))
finish(issuing.action)
issued = client.certificates.get_by_id(issuing.certificate.id)
expect((issued.status.issuance, issued.status.renewal, issued.status.error), ("completed", "unavailable", None))
expect((issued.type, issued.domain_names), (issued.TYPE_MANAGED, ["managed.example", "*.managed.example"]))
expect([action.command for action in issued.get_actions()], ["create_certificate"])
expect(issued.delete(), True)
failing = client.certificates.create_managed(name="late", domain_names=["late.example"])
try:
    failing.action.wait_until_finished()
    raise AssertionError("there is no zone for it")
except ActionFailedException as failure:
    expect(failure.action.error["code"], "dns_zone_not_found")
change_zone("POST", body={"name": "late.example", "mode": "primary"})
retried = client.certificates.get_by_id(failing.certificate.id)
expect(retried.status.error.code, "dns_zone_not_found")
again = retried.retry_issuance()
finish(again)
expect(again.command, "issue_certificate")
expect(client.certificates.get_by_id(retried.id).status.issuance, "completed")
expect(retried.delete(), True)
for name in ("managed.example", "late.example"):
    change_zone("DELETE", f"/{name}")
step("managed certificate")

# Firewall with rules
ssh = FirewallRule("in", "tcp", source_ips=["10.1.0.0/16", "2001:db8:1::/48"], port="22", description="ssh")
ping = FirewallRule("in", "icmp", source_ips=EVERYBODY)
dns = FirewallRule("out", "udp", source_ips=[], destination_ips=EVERYBODY, port="53")
made = client.firewalls.create(
    name="web",
    labels={"tier": "front"},
    rules=[ssh, ping, dns],
    resources=[FirewallResource("label_selector", label_selector=FirewallResourceLabelSelector("tier=front"))],
)
finish(*made.actions)
firewall = client.firewalls.get_by_name("web")
expect(
    rule_rows(firewall),
    [
        ("in", "tcp", "22", ["10.1.0.0/16", "2001:db8:1::/48"], [], "ssh"),
        ("in", "icmp", None, EVERYBODY, [], None),
        ("out", "udp", "53", [], EVERYBODY, None),
    ],
)
expect(targets(firewall), [("label_selector", "tier=front")])
step("firewall")

# Server with both
direct = client.firewalls.create(name="direct", rules=[ping]).firewall
made = client.servers.create(
    name="one",
    server_type=ServerType(name="cpx22"),
    image=Image(name="debian-12"),
    location=Location(name="hel1"),
    ssh_keys=[key],
    firewalls=[direct],
    labels={"tier": "front"},
)
finish(made.action, *made.next_actions)
expect(made.root_password, None)
server = client.servers.get_by_name("one")
expect((server.status, server.server_type.name), (Server.STATUS_RUNNING, "cpx22"))
if IS_RECENT:
    expect(server.location.name, "hel1")
expect(server.labels, {"tier": "front"})
expect(
    sorted((item.firewall.id, item.status) for item in server.public_net.firewalls),
    sorted([(firewall.id, "applied"), (direct.id, "applied")]),
)
expect([s.id for s in client.servers.get_all(label_selector="tier=front")], [server.id])
expect(client.servers.get_all(label_selector="tier notin (front)"), [])
expect(client.servers.get_all(label_selector="stage!=live"), [])
expect([s.id for s in client.servers.get_all(status=["running"])], [server.id])
nested = client.firewalls.get_by_id(firewall.id).applied_to[0].applied_to_resources
expect([item.server.id for item in nested], [server.id])
step("server")

# Rules, targets and labels change
finish(*firewall.set_rules([dns, FirewallRule("in", "tcp", source_ips=EVERYBODY, port="8000-8999")]))
firewall.reload()
expect([row[:3] for row in rule_rows(firewall)], [("in", "tcp", "8000-8999"), ("out", "udp", "53")])
error = refused("invalid_input", lambda: firewall.set_rules([FirewallRule("in", "tcp", source_ips=EVERYBODY)]))
expect(error.message, "invalid input in field 'rules'")
by_server = FirewallResource("server", server=server)
refused("firewall_managed_by_label_selector", lambda: firewall.remove_from_resources([by_server]))
finish(*firewall.apply_to_resources([by_server]))
firewall.reload()
expect(sorted(targets(firewall)), [("label_selector", "tier=front"), ("server", server.id)])
refused("firewall_already_applied", lambda: firewall.apply_to_resources([by_server]))
server = server.update(name="two", labels={"tier": "back"})
expect((server.name, server.labels), ("two", {"tier": "back"}))
firewall.reload()
nested = next(item for item in firewall.applied_to if item.type == "label_selector").applied_to_resources
expect(nested or [], [])
firewall = firewall.update(name="site", labels={"stage": "test"})
expect([f.name for f in client.firewalls.get_all(label_selector="stage in (test)")], ["site"])
step("changes")

# Power and protection
for call, status in (
    (server.power_off, "off"),
    (server.power_on, "running"),
    (server.reset, "running"),
    (server.reboot, "running"),
    (server.shutdown, "off"),
):
    finish(call())
    server.reload()
    expect(server.status, status)
finish(server.change_protection(delete=True, rebuild=True))
refused("protected", server.delete)
finish(server.change_protection(delete=False, rebuild=False))
step("power")

# Floating IPs
made = client.floating_ips.create(type="ipv4", name="service", server=server, description="web", labels={"role": "vip"})
finish(made.action)
address = client.floating_ips.get_by_name("service")
expect((address.server.id, address.home_location.name, address.description), (server.id, "hel1", "web"))
expect([ip.id for ip in client.servers.get_by_id(server.id).public_net.floating_ips], [address.id])
refused("must_be_unassigned", address.delete)
other = client.servers.create(
    name="three", server_type=ServerType(name="cpx22"), image=Image(name="debian-12"), location=Location(name="hel1")
)
finish(other.action, *other.next_actions)
finish(address.assign(other.server))
address.reload()
expect(address.server.id, other.server.id)
finish(address.unassign())
finish(address.change_dns_ptr(address.ip, "www.example.com"))
address.reload()
expect((address.server, address.dns_ptr), (None, [{"ip": address.ip, "dns_ptr": "www.example.com"}]))
finish(address.change_dns_ptr(address.ip, None))
address = address.update(name="spare", description="unused", labels={"stage": "test"})
expect([ip.name for ip in client.floating_ips.get_all(label_selector="stage=test")], ["spare"])
finish(address.change_protection(delete=True))
expect(refused("protected", address.delete).message, "Floating IP deletion is protected")
finish(address.change_protection(delete=False))
commands = [action.command for action in address.get_actions(sort=["id:asc"])]
expect(commands[:3], ["create_floating_ip", "assign_floating_ip", "unassign_floating_ip"])
expect(address.delete(), True)
refused("not_found", lambda: client.floating_ips.get_by_id(address.id))
step("floating ip")

# Images
expect(client.images.get_by_name_and_architecture("debian-12", "arm").architecture, "arm")
# The library writes booleans in queries as Python does; Ansible asks so before it creates a server by image name.
expect(client.images.get_by_name("debian-11"), None)
expect(client.images.get_by_name_and_architecture("debian-11", "x86", include_deprecated=True).name, "debian-11")
expect(client.images.get_by_name_and_architecture("debian-11", "x86", include_deprecated=False), None)
twin = other.server
made = twin.create_image(description="before", type="snapshot", labels={"kept": "yes"})
expect(made.image.status, "creating")
finish(made.action)
snapshot = client.images.get_by_id(made.image.id)
expect((snapshot.status, snapshot.created_from.id, snapshot.bound_to), ("available", twin.id, None))
snapshot = snapshot.update(description="after", labels={"age": "old"})
expect([(i.id, i.description) for i in client.images.get_all(label_selector="age=old")], [(snapshot.id, "after")])
finish(snapshot.change_protection(delete=True))
refused("protected", snapshot.delete)
finish(snapshot.change_protection(delete=False))
assert "change_protection" in [action.command for action in snapshot.get_actions()]
finish(twin.enable_backup())
made = twin.create_image(type="backup")
finish(made.action)
expect([i.id for i in client.images.get_all(type=["backup"], bound_to=[str(twin.id)])], [made.image.id])
converted = client.images.get_by_id(made.image.id).update(type="snapshot")
expect((converted.type, converted.bound_to), ("snapshot", None))
rebuilding = twin.rebuild(image=snapshot)
finish(rebuilding.action if IS_RECENT else rebuilding)
twin.reload()
expect(twin.image.id, snapshot.id)
finish(twin.disable_backup(), twin.delete())
for image in (snapshot, converted):
    expect(image.delete(), True)
step("image")

# Actions
commands = [action.command for action in server.get_actions(sort=["id:asc"])]
expect(commands[0], "create_server")
assert {"apply_firewall", "stop_server", "start_server", "change_protection"} <= set(commands), commands
every = client.firewalls.actions.get_all(status=["success"])
assert {"set_firewall_rules", "apply_firewall"} <= {action.command for action in every}, every
last = client.servers.actions.get_list(sort=["id:desc"], per_page=1)
expect((len(last.actions), last.meta.pagination.per_page), (1, 1))
expect(client.actions.get_by_id(last.actions[0].id).command, last.actions[0].command)
expect(sorted({action.status for action in firewall.get_actions()}), ["success"])
for kind in (client.certificates, client.firewalls, client.floating_ips, client.images):
    last = kind.actions.get_list(sort=["id:desc"], per_page=1).actions[0]
    expect(kind.actions.get_by_id(last.id).command, last.command)
step("actions")

# The end
error = refused("resource_in_use", firewall.delete)
expect(error.message, f"firewall with ID {firewall.id} is still in use")
finish(*firewall.remove_from_resources(firewall.applied_to))
expect(targets(client.firewalls.get_by_id(firewall.id)), [])
expect(firewall.delete(), True)
deletion = server.delete()
finish(deletion)
refused("not_found", lambda: client.servers.get_by_id(server.id))
expect(targets(client.firewalls.get_by_id(direct.id)), [])
expect(client.firewalls.delete(direct), True)
expect(key.delete(), True)
expect(client.actions.get_by_id(deletion.id).status, "success")
stranger = Client(token="x" * 64, **ENDPOINTS)
refused("unauthorized", stranger.servers.get_all)
step("deletion")

kinds = ["servers", "firewalls", "ssh_keys", "floating_ips"]
images = client.images.get_all(type=["snapshot", "backup"])
report(**{kind: len(getattr(client, kind).get_all()) for kind in kinds}, images=len(images))
