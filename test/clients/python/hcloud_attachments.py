"""Servers and all that hangs on them through the real Python library: prints a summary line, or fails."""

import sys
from datetime import datetime, timedelta, timezone

from hcloud_steps import IS_RECENT, client, expect, finish, refused, report, step

from hcloud.images import Image
from hcloud.isos import Iso
from hcloud.locations import Location
from hcloud.networks import Network, NetworkRoute, NetworkSubnet
from hcloud.server_types import ServerType
from hcloud.servers import ServerCreatePublicNetwork

HEL1 = Location(name="hel1")
SMALL = ServerType(name="cpx22")
DEBIAN = Image(name="debian-12")


def make_server(name, **options):
    created = client.servers.create(name=name, server_type=SMALL, image=DEBIAN, location=HEL1, **options)
    finish(created.action, *created.next_actions)
    return client.servers.get_by_name(name)


def reloaded(resource):
    resource.reload()
    return resource


# Catalogue
expect([location.name for location in client.locations.get_all()], ["fsn1", "nbg1", "hel1", "ash", "hil", "sin"])
expect(client.locations.get_by_id(3).network_zone, "eu-central")
small = client.server_types.get_by_name("cpx22")
expect((small.id, small.cores, small.memory, small.architecture), (109, 2, 4, "x86"))
expect([price["location"] for price in small.prices], ["fsn1", "hel1", "nbg1", "sin"])
# A type that can no longer be ordered is there by its id alone.
expect((client.server_types.get_by_name("cx11"), client.server_types.get_by_id(1).name), (None, "cx11"))
rescue_disk = client.isos.get_by_name("systemrescue-12.02-amd64.iso")
expect((rescue_disk.id, rescue_disk.type, rescue_disk.architecture), (122898, "public", "x86"))
expect({iso.architecture for iso in client.isos.get_all(architecture=["arm"])}, {"arm"})
expect(client.isos.get_by_id(rescue_disk.id).name, rescue_disk.name)
step("catalogue")

# Network
network = client.networks.create(
    name="net",
    ip_range="10.0.0.0/16",
    labels={"role": "back"},
    subnets=[NetworkSubnet(type="cloud", network_zone="eu-central", ip_range="10.0.1.0/24")],
    routes=[NetworkRoute(destination="10.100.1.0/24", gateway="10.0.1.1")],
)
expect((network.ip_range, network.expose_routes_to_vswitch), ("10.0.0.0/16", False))
second = NetworkSubnet(type="cloud", network_zone="eu-central", ip_range="10.0.2.0/24")
finish(network.add_subnet(second))
route = NetworkRoute(destination="10.101.0.0/16", gateway="10.0.2.1")
finish(network.add_route(route))
reloaded(network)
expect([(subnet.ip_range, subnet.gateway) for subnet in network.subnets][1], ("10.0.2.0/24", "10.0.0.1"))
expect([entry.destination for entry in network.routes], ["10.100.1.0/24", "10.101.0.0/16"])
refused("invalid_input", network.add_route, route)
finish(network.delete_route(route))
finish(network.delete_subnet(second))
finish(network.change_ip_range("10.0.0.0/8"))
refused("invalid_input", network.change_ip_range, "10.0.0.0/16")
network = network.update(name="base", labels={"stage": "test"}, expose_routes_to_vswitch=True)
expect((network.ip_range, network.expose_routes_to_vswitch), ("10.0.0.0/8", True))
expect([n.id for n in client.networks.get_all(label_selector="stage=test")], [network.id])
finish(network.change_protection(delete=True))
expect(refused("protected", network.delete).message, "network is delete protected")
finish(network.change_protection(delete=False))
commands = [action.command for action in network.get_actions(sort=["id:asc"])]
expect(commands[:3], ["add_subnet", "add_route", "delete_route"])
step("network")

# Placement group
group = client.placement_groups.create(name="group", type="spread", labels={"a": "b"}).placement_group
expect((group.type, group.servers), ("spread", []))
group = group.update(name="hosts", labels={"stage": "test"})
expect([g.name for g in client.placement_groups.get_all(label_selector="stage=test")], ["hosts"])
refused("uniqueness_error", client.placement_groups.create, name="hosts", type="spread")
step("placement group")

# Volume
created = client.volumes.create(name="data", size=10, location=HEL1, labels={"role": "data"}, format="ext4")
finish(created.action, *created.next_actions)
volume = client.volumes.get_by_name("data")
expect((volume.status, volume.size, volume.format, volume.server), ("available", 10, "ext4", None))
refused("invalid_input", client.volumes.create, name="x", size=9, location=HEL1)
volume = volume.update(name="base", labels={"stage": "test"})
expect([v.id for v in client.volumes.get_all(label_selector="stage=test")], [volume.id])
finish(volume.change_protection(delete=True))
refused("protected", volume.delete)
finish(volume.change_protection(delete=False))
finish(volume.resize(20))
refused("invalid_input", volume.resize, 15)
expect(reloaded(volume).size, 20)
step("volume")

# Primary IP
holder = make_server("holder", start_after_create=False, public_net=ServerCreatePublicNetwork(enable_ipv4=False))
expect(holder.public_net.ipv4, None)
if IS_RECENT:
    address = client.primary_ips.create(type="ipv4", name="web", location=HEL1, labels={"role": "front"}).primary_ip
    expect((address.assignee_id, address.location.name, address.auto_delete), (None, "hel1", False))
    finish(address.assign(assignee_id=holder.id, assignee_type="server"))
else:
    options = {"datacenter": None, "assignee_id": holder.id, "assignee_type": "server"}
    created = client.primary_ips.create(type="ipv4", name="web", **options)
    finish(created.action)
    address = client.primary_ips.get_by_id(created.primary_ip.id)
expect((reloaded(address).assignee_id, address.assignee_type), (holder.id, "server"))
expect(reloaded(holder).public_net.ipv4.ip, address.ip)
refused("must_be_unassigned", address.delete)
finish(address.change_dns_ptr(address.ip, "www.example.com"))
expect(reloaded(address).dns_ptr, [{"ip": address.ip, "dns_ptr": "www.example.com"}])
finish(address.change_protection(delete=True))
refused("protected", address.delete)
finish(address.change_protection(delete=False))
finish(address.unassign())
address = address.update(name="site", labels={"stage": "test"}, auto_delete=False)
expect([ip.name for ip in client.primary_ips.get_all(label_selector="stage=test")], ["site"])
expect(client.primary_ips.get_by_name("site").assignee_id, None)
step("primary ip")

# Server with everything
key = client.ssh_keys.create(name="laptop", public_key=sys.argv[1])
server = make_server(
    "full",
    ssh_keys=[key],
    volumes=[volume],
    automount=True,
    networks=[network],
    placement_group=group,
    user_data="#cloud-config\n",
    labels={"a": "b"},
    start_after_create=False,
    public_net=ServerCreatePublicNetwork(ipv4=address, enable_ipv6=False),
)
expect((server.status, server.placement_group.id, [v.id for v in server.volumes]), ("off", group.id, [volume.id]))
expect((server.public_net.ipv4.ip, server.public_net.ipv6), (address.ip, None))
expect([(net.network.id, net.ip, net.alias_ips) for net in server.private_net], [(network.id, "10.0.1.1", [])])
expect([s.id for s in reloaded(network).servers], [server.id])
expect(reloaded(group).servers, [server.id])
expect(refused("invalid_input", make_server, "x", networks=[Network(id=1)]).details["fields"][0]["name"], "networks")
refused("volume_already_attached", make_server, "x", volumes=[volume])
refused("service_error", volume.delete)
finish(volume.detach())
finish(volume.attach(holder, automount=False))
expect(reloaded(volume).server.id, holder.id)
step("server with everything")

# Servers in networks
finish(server.detach_from_network(network))
finish(server.attach_to_network(network, ip="10.0.1.5", alias_ips=["10.0.1.6"]))
finish(server.change_alias_ips(network, alias_ips=["10.0.1.7", "10.0.1.8"]))
expect([(net.ip, net.alias_ips) for net in reloaded(server).private_net], [("10.0.1.5", ["10.0.1.7", "10.0.1.8"])])
refused("server_already_attached", server.attach_to_network, network)
refused("ip_not_available", holder.attach_to_network, network, ip="10.0.1.5")
refused("no_subnet_available", holder.attach_to_network, network, ip="10.9.9.9")
if IS_RECENT:
    finish(holder.attach_to_network(network, ip_range="10.0.1.0/24"))
    expect(reloaded(holder).private_net[0].ip, "10.0.1.1")
    members = network.get_member_all(sort=["id:asc"])
    expect(sorted(member.ip for member in members), ["10.0.1.1", "10.0.1.5"])
step("servers in networks")

# Placement, type, power
finish(server.remove_from_placement_group())
expect((reloaded(server).placement_group, server.status), (None, "off"))
finish(server.add_to_placement_group(group))
expect((reloaded(server).placement_group.id, server.status), (group.id, "running"))
refused("server_not_stopped", server.change_type, ServerType(name="cpx32"), upgrade_disk=False)
finish(server.power_off())
finish(server.change_type(ServerType(name="cpx32"), upgrade_disk=False))
expect((reloaded(server).server_type.name, server.primary_disk_size, server.status), ("cpx32", 80, "running"))
step("type")

# Access
rescue = server.enable_rescue(type="linux64", ssh_keys=[key.id])
finish(rescue.action)
assert rescue.root_password, "a password is shown"
expect(reloaded(server).rescue_enabled, True)
finish(server.disable_rescue())
expect(reloaded(server).rescue_enabled, False)
reset = server.reset_password()
finish(reset.action)
assert reset.root_password, "a password is shown"
console = server.request_console()
finish(console.action)
assert console.wss_url.startswith("ws") and console.password, console.wss_url
step("access")

# ISO
finish(server.attach_iso(rescue_disk))
expect(reloaded(server).iso.name, rescue_disk.name)
error = refused("invalid_input", server.attach_iso, Iso(id=130001))
expect(error.details["fields"][0]["name"], "iso")
finish(server.detach_iso())
expect(reloaded(server).iso, None)
step("iso")

# Reverse names and measurements
finish(server.change_dns_ptr(server.public_net.ipv4.ip, "one.example.com"))
expect(reloaded(server).public_net.ipv4.dns_ptr, "one.example.com")
finish(server.change_dns_ptr(server.public_net.ipv4.ip, None))
refused("invalid_input", server.change_dns_ptr, "192.0.2.255", "one.example.com")
now = datetime.now(timezone.utc)
metrics = server.get_metrics(type=["cpu", "disk"], start=now - timedelta(hours=1), end=now).metrics
expect(
    sorted(metrics.time_series),
    ["cpu", *(f"disk.0.{unit}.{way}" for unit in ("bandwidth", "iops") for way in ("read", "write"))],
)
refused("invalid_input", server.get_metrics, type="cpu", start=now, end=now - timedelta(hours=1))
step("reverse names and measurements")

# Actions, of all resources of a kind and of each
for kind, resource, command in (
    (client.networks, network, "add_subnet"),
    (client.volumes, volume, "create_volume"),
    (client.primary_ips, address, "unassign_primary_ip"),
    (client.servers, server, "create_server"),
):
    if IS_RECENT or hasattr(resource, "get_actions"):
        assert command in [action.command for action in resource.get_actions()], command
    last = kind.actions.get_list(sort=["id:desc"], per_page=1).actions[0]
    expect(kind.actions.get_by_id(last.id).command, last.command)
step("actions")

# The end
finish(server.delete(), holder.delete())
expect((reloaded(volume).server, reloaded(network).servers, reloaded(group).servers), (None, [], []))
expect(client.primary_ips.get_by_id(address.id).assignee_id, None)
expect(refused("not_found", client.servers.get_by_id, server.id).message[:6], "server")
for resource in (volume, network, group, address, key):
    expect(resource.delete(), True)
step("deletion")

kinds = ["servers", "volumes", "networks", "placement_groups", "primary_ips", "ssh_keys"]
report(**{kind: len(getattr(client, kind).get_all()) for kind in kinds})
