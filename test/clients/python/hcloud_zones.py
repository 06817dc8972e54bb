"""Zones through the real Python library: prints a summary line as JSON, or fails with a traceback."""

from hcloud_steps import client, expect, finish, refused, report, step

from hcloud.zones import Zone, ZonePrimaryNameserver, ZoneRecord, ZoneRRSet


def values(rrset):
    return [(record.value, record.comment or "") for record in rrset.records]


# Zones
made = client.zones.create(
    name="example.com",
    mode=Zone.MODE_PRIMARY,
    ttl=10800,
    labels={"env": "test"},
    rrsets=[ZoneRRSet(name="www", type="A", ttl=300, records=[ZoneRecord(value="192.0.2.1", comment="first")])],
)
finish(made.action)
zone = client.zones.get("example.com")
expect((zone.id, zone.ttl, zone.status, zone.registrar, zone.record_count), (made.zone.id, 10800, "ok", "other", 5))
expect((len(zone.authoritative_nameservers.assigned), zone.authoritative_nameservers.delegated), (3, []))
expect([z.name for z in client.zones.get_all(label_selector="env=test", mode="primary")], ["example.com"])
refused("uniqueness_error", lambda: client.zones.create(name="example.com", mode="primary"))
expect(zone.update(labels={"env": "prod"}).labels, {"env": "prod"})
finish(zone.change_ttl(600), zone.change_protection(delete=True))
refused("protected", zone.delete)
finish(zone.change_protection(delete=False))
step("zones")

# RRSets
made = zone.create_rrset(name="@", type="TXT", records=[ZoneRecord(value='"v=spf1 -all"')])
finish(made.action)
expect(made.rrset.id, "@/TXT")
www = zone.get_rrset("www", "A")
finish(zone.add_rrset_records(www, [ZoneRecord(value="192.0.2.2")]))
finish(zone.update_rrset_records(www, [ZoneRecord(value="192.0.2.2", comment="second")]))
finish(zone.remove_rrset_records(www, [ZoneRecord(value="192.0.2.1")]))
expect(values(zone.get_rrset("www", "A")), [("192.0.2.2", "second")])
finish(zone.set_rrset_records(www, [ZoneRecord(value="192.0.2.3"), ZoneRecord(value="192.0.2.4")]))
finish(zone.change_rrset_ttl(www, 60), zone.change_rrset_protection(www, change=True))
refused("protected", lambda: zone.delete_rrset(www))
finish(zone.change_rrset_protection(www, change=False))
finish(zone.add_rrset_records(ZoneRRSet(zone=zone, name="new", type="AAAA"), [ZoneRecord(value="2001:db8::1")], ttl=300))
expect(zone.get_rrset("new", "AAAA").ttl, 300)
expect(sorted(r.id for r in zone.get_rrset_all(type=["A", "AAAA"])), ["new/AAAA", "www/A"])
finish(zone.delete_rrset(zone.get_rrset("new", "AAAA")).action)
refused("not_found", lambda: zone.get_rrset("new", "AAAA"))
step("rrsets")

# Zone files
exported = zone.export_zonefile().zonefile
finish(zone.import_zonefile(exported + "foobar\tIN\tA\t192.168.0.2"))
expect(values(zone.get_rrset("foobar", "A")), [("192.168.0.2", "")])
step("zonefile")

# Secondary zones
made = client.zones.create(
    name="other.example",
    mode=Zone.MODE_SECONDARY,
    primary_nameservers=[ZonePrimaryNameserver(address="203.0.113.1")],
)
finish(made.action)
expect([(p.address, p.port) for p in made.zone.primary_nameservers], [("203.0.113.1", 53)])
refused("incorrect_zone_mode", made.zone.export_zonefile)
finish(made.zone.change_primary_nameservers([ZonePrimaryNameserver(address="203.0.113.1", port=5353)]))
step("secondary")

# The end
commands = {action.command for action in zone.get_actions()}
assert {"create_zone", "change_ttl", "add_rrset_records", "import_zonefile"} <= commands, commands
deletion = zone.delete()
finish(deletion.action, made.zone.delete().action)
refused("not_found", lambda: client.zones.get("example.com"))
step("deletion")

report(zones=len(client.zones.get_all()))
