"""Load Balancers through the real Python library: prints a summary line, or fails."""

import json
import sys
from datetime import datetime, timedelta, timezone

from hcloud_steps import IS_RECENT, client, expect, finish, refused, report, step

from hcloud.images import Image
from hcloud.load_balancer_types import LoadBalancerType
from hcloud.load_balancers import (
    LoadBalancerAlgorithm,
    LoadBalancerHealthCheck,
    LoadBalancerService,
    LoadBalancerServiceHttp,
    LoadBalancerTarget,
    LoadBalancerTargetIP,
    LoadBalancerTargetLabelSelector,
    domain,
)
from hcloud.locations import Location
from hcloud.networks import NetworkSubnet
from hcloud.server_types import ServerType

HEL1 = Location(name="hel1")
# Older versions have it under a misspelled name alone.
CheckHttp = getattr(domain, "LoadBalancerHealthCheckHttp", None) or domain.LoadBalancerHealtCheckHttp


def make_server(name, **options):
    kind, image = ServerType(name="cpx22"), Image(name="debian-12")
    response = client.servers.create(name=name, server_type=kind, image=image, location=HEL1, **options)
    finish(response.action, *response.next_actions)
    return response.server


def reloaded(resource):
    resource.reload()
    return resource


def service_on(port):
    return next(service for service in reloaded(balancer).services if service.listen_port == port)


def target_rows():
    return [
        (
            target.type,
            target.server.id if target.server else target.label_selector.selector,
            target.use_private_ip,
        )
        for target in reloaded(balancer).targets or []
    ]


def check_row(check):
    return (check.protocol, check.port, check.interval, check.timeout, check.retries)


def check_http_row(http):
    return (http.domain, http.path, http.response, http.status_codes, http.tls)


# Types
small = client.load_balancer_types.get_by_name("lb11")
expect((small.id, small.description, small.max_connections), (1, "LB11", 10_000))
expect((small.max_services, small.max_targets, small.max_assigned_certificates), (5, 25, 10))
expect([kind.name for kind in client.load_balancer_types.get_all()], ["lb11", "lb21", "lb31"])
expect(client.load_balancer_types.get_list(name="lb21").load_balancer_types[0].id, 2)
expect(client.load_balancer_types.get_by_id(3).name, "lb31")
assert "hel1" in [price["location"] for price in small.prices], small.prices
step("types")

# What it balances between
network = client.networks.create(
    name="net",
    ip_range="10.0.0.0/16",
    subnets=[NetworkSubnet(type="cloud", network_zone="eu-central", ip_range="10.0.1.0/24")],
)
public = make_server("public", labels={"tier": "web"})
private = make_server("private", networks=[network])
certificate = client.certificates.create(name="web", **json.load(sys.stdin))

# Creation
response = client.load_balancers.create(
    name="lb",
    load_balancer_type=small,
    algorithm=LoadBalancerAlgorithm(type="least_connections"),
    services=[LoadBalancerService(protocol="tcp", listen_port=22, destination_port=2222, proxyprotocol=True)],
    targets=[
        LoadBalancerTarget(type="server", server=public),
        LoadBalancerTarget(type="server", server=private, use_private_ip=True),
    ],
    labels={"tier": "front"},
    location=HEL1,
    public_interface=True,
    network=network,
)
expect(response.action.command, "create_load_balancer")
finish(response.action)
balancer = client.load_balancers.get_by_name("lb")
expect((balancer.id, balancer.location.name), (response.load_balancer.id, "hel1"))
expect((balancer.load_balancer_type.id, balancer.algorithm.type), (1, "least_connections"))
expect((balancer.public_net.enabled, balancer.protection), (True, {"delete": False}))
expect([(net.network.id, net.ip) for net in balancer.private_net], [(network.id, "10.0.1.2")])
expect(target_rows(), [("server", public.id, False), ("server", private.id, True)])
expect([status.listen_port for status in balancer.targets[0].health_status], [22])
expect([b.id for b in client.load_balancers.get_all(label_selector="tier=front")], [balancer.id])
expect(client.load_balancers.get_list(name="lb", per_page=1).meta.pagination.total_entries, 1)
expect(balancer.included_traffic, 20 * 2**40)
assert balancer.outgoing_traffic >= 0 and balancer.ingoing_traffic >= 0, balancer.outgoing_traffic
refused(
    "uniqueness_error",
    client.load_balancers.create,
    name="lb",
    load_balancer_type=small,
    network_zone="eu-central",
)
nothing = LoadBalancerType(name="lb99")
refused("invalid_input", client.load_balancers.create, name="x", load_balancer_type=nothing, location=HEL1)
step("creation")

# Services
check = service_on(22).health_check
expect((service_on(22).proxyprotocol, service_on(22).http), (True, None))
expect((check_row(check), check.http), (("tcp", 2222, 15, 10, 3), None))
finish(balancer.add_service(LoadBalancerService(protocol="http")))
http = service_on(80).http
expect((http.cookie_name, http.cookie_lifetime, http.certificates), ("HCLBSTICKY", 300, []))
expect((http.redirect_http, http.sticky_sessions, getattr(http, "timeout_idle", 50)), (False, False, 50))
expect(check_row(service_on(80).health_check), ("http", 80, 15, 10, 3))
expect(check_http_row(service_on(80).health_check.http), ("", "/", "", ["2??", "3??"], False))
secure = LoadBalancerService(
    protocol="https",
    listen_port=8443,
    destination_port=8080,
    http=LoadBalancerServiceHttp(
        cookie_name="keks", cookie_lifetime=60, certificates=[certificate], sticky_sessions=True
    ),
    health_check=LoadBalancerHealthCheck(
        protocol="http",
        port=8080,
        interval=20,
        timeout=5,
        retries=2,
        http=CheckHttp(domain="www.example.com", path="/up", response="fine", status_codes=["200"], tls=True),
    ),
)
finish(balancer.add_service(secure))
expect([one.id for one in service_on(8443).http.certificates], [certificate.id])
expect(check_http_row(service_on(8443).health_check.http), ("www.example.com", "/up", "fine", ["200"], True))
refused("service_error", certificate.delete)
# A service as it was read can be written again, in whole or in part.
for port in (22, 80, 8443):
    service = service_on(port)
    service.destination_port = 9000
    finish(balancer.update_service(service))
    expect(service_on(port).destination_port, 9000)
turned = LoadBalancerService(listen_port=22, protocol="http")
finish(balancer.update_service(turned))
expect((service_on(22).http.cookie_name, service_on(22).health_check.protocol), ("HCLBSTICKY", "tcp"))
refused("source_port_already_used", balancer.add_service, LoadBalancerService(protocol="http"))
refused("invalid_input", balancer.update_service, LoadBalancerService(listen_port=81))
for port in (22, 8443):
    finish(balancer.delete_service(LoadBalancerService(listen_port=port)))
expect([service.listen_port for service in reloaded(balancer).services], [80])
step("services")

# Targets
labelled = LoadBalancerTarget(
    type="label_selector",
    label_selector=LoadBalancerTargetLabelSelector(selector="tier=web"),
    use_private_ip=False,
)
finish(balancer.add_target(labelled))
expect(target_rows()[2], ("label_selector", "tier=web", False))
if IS_RECENT:
    expect([target.server.id for target in balancer.targets[2].targets], [public.id])
refused("target_already_defined", balancer.add_target, labelled)
outside = LoadBalancerTarget(type="ip", ip=LoadBalancerTargetIP(ip="198.18.0.7"))
refused("ip_not_owned", balancer.add_target, outside)
refused("load_balancer_target_not_found", balancer.remove_target, outside)
by_server = LoadBalancerTarget(type="server", server=public)
finish(balancer.remove_target(by_server))
finish(balancer.remove_target(labelled))
expect(target_rows(), [("server", private.id, True)])
step("targets")

# Networks
finish(balancer.disable_public_interface())
expect(reloaded(balancer).public_net.enabled, False)
refused("load_balancer_public_interface_disabled", balancer.add_target, by_server)
finish(balancer.enable_public_interface())
finish(balancer.detach_from_network(network))
expect((reloaded(balancer).private_net, target_rows()), ([], []))
finish(balancer.attach_to_network(network, ip="10.0.1.9"))
expect([net.ip for net in reloaded(balancer).private_net], ["10.0.1.9"])
refused("load_balancer_already_attached", balancer.attach_to_network, network)
if IS_RECENT:
    expect(balancer.private_net_for(network).ip, "10.0.1.9")
    finish(balancer.detach_from_network(network))
    finish(balancer.attach_to_network(network, ip_range="10.0.1.0/24"))
step("networks")

# Changes
finish(balancer.change_algorithm(LoadBalancerAlgorithm(type="round_robin")))
finish(balancer.change_type(LoadBalancerType(name="lb21")))
expect((reloaded(balancer).algorithm.type, balancer.load_balancer_type.name), ("round_robin", "lb21"))
refused("invalid_input", balancer.change_algorithm, LoadBalancerAlgorithm(type="fastest"))
finish(balancer.change_dns_ptr(balancer.public_net.ipv4.ip, "four.example.com"))
finish(balancer.change_dns_ptr(balancer.public_net.ipv6.ip, "six.example.com"))
net = reloaded(balancer).public_net
expect((net.ipv4.dns_ptr, net.ipv6.dns_ptr), ("four.example.com", "six.example.com"))
finish(balancer.change_dns_ptr(net.ipv6.ip, None))
expect(reloaded(balancer).public_net.ipv6.dns_ptr, None)
balancer = balancer.update(name="entry", labels={"stage": "test"})
expect([b.name for b in client.load_balancers.get_all(label_selector="stage=test")], ["entry"])
finish(balancer.change_protection(delete=True))
expect(refused("protected", balancer.delete).message, "Load Balancer deletion is protected")
finish(balancer.change_protection(delete=False))
step("changes")

# Measurements and actions
now = datetime.now(timezone.utc)
kinds = ["open_connections", "connections_per_second", "requests_per_second", "bandwidth"]
metrics = balancer.get_metrics(type=kinds, start=now - timedelta(hours=1), end=now).metrics
expect(sorted(metrics.time_series), sorted([*kinds[:3], "bandwidth.in", "bandwidth.out"]))
refused("invalid_input", balancer.get_metrics, type="heat", start=now - timedelta(hours=1), end=now)
commands = {action.command for action in balancer.get_actions()}
assert {"create_load_balancer", "add_service", "remove_target", "change_load_balancer_type"} <= commands, commands
expect(balancer.get_actions_list(sort=["id:asc"], per_page=1).actions[0].command, "create_load_balancer")
last = client.load_balancers.actions.get_list(sort=["id:desc"], per_page=1).actions[0]
expect(client.load_balancers.actions.get_by_id(last.id).command, last.command)
expect(len(client.load_balancers.actions.get_all(status=["error"])), 0)
step("measurements and actions")

# Primary IPs
if IS_RECENT:
    address = client.primary_ips.create(type="ipv4", name="front", location=HEL1).primary_ip
    chosen = domain.LoadBalancerCreatePublicNetwork(ipv4=address)
    finish(
        client.load_balancers.create(name="second", load_balancer_type=small, location=HEL1, public_net=chosen).action
    )
    second = client.load_balancers.get_by_name("second")
    expect((second.public_net.ipv4.ip, second.public_net.ipv4.primary_ip.id), (address.ip, address.id))
    expect((reloaded(address).assignee_type, address.assignee_id), ("load_balancer", second.id))
    refused("must_be_unassigned", address.delete)
    finish(second.delete().action)
    expect(reloaded(address).assignee_id, None)
    expect(address.delete(), True)
step("primary ips")

# The end
deletion = balancer.delete()
if IS_RECENT:
    finish(deletion.action)
    expect(deletion.action.command, "delete_load_balancer")
else:
    expect(deletion, True)
refused("not_found", client.load_balancers.get_by_id, balancer.id)
expect(client.load_balancers.get_by_name("entry"), None)
finish(public.delete(), private.delete())
expect((network.delete(), certificate.delete()), (True, True))
step("deletion")

kinds = ["load_balancers", "servers", "networks", "certificates", "primary_ips"]
report(**{kind: len(getattr(client, kind).get_all()) for kind in kinds})
