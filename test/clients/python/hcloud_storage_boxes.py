"""Storage Boxes through the real Python library, with every method that it has for them."""

from hcloud_steps import client, expect, finish, made, refused, report, step

from hcloud.locations import Location
from hcloud.ssh_keys import SSHKey
from hcloud.storage_box_types import StorageBoxType
from hcloud.storage_boxes import (
    StorageBoxAccessSettings,
    StorageBoxSnapshotPlan,
    StorageBoxSubaccountAccessSettings,
)

PASSWORD = "1-secret-PASSW0RD-=)"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGb4E0cK+1Ea8AmYwyBjCpPhjmNCnbh44gdb2HpUn8E2 me@example"
boxes = client.storage_boxes


def names(some):
    return [one.name for one in some]


def create(name, **more):
    location, box_type = Location(name="fsn1"), StorageBoxType(name="bx11")
    return boxes.create(name=name, password=PASSWORD, location=location, storage_box_type=box_type, **more)


def fields(settings):
    return {name: getattr(settings, name) for name in settings.__api_properties__}


# Types
types = client.storage_box_types.get_all()
expect(names(types), ["bx11", "bx21", "bx31", "bx41"])
bx11, bx21 = types[0], client.storage_box_types.get_by_name("bx21")
expect(client.storage_box_types.get_by_id(bx11.id).name, "bx11")
expect((bx11.size, bx11.snapshot_limit, bx11.automatic_snapshot_limit, bx11.subaccounts_limit), (2**40, 10, 10, 100))
expect({price["location"] for price in bx11.prices} >= {"fsn1", "nbg1", "hel1"}, True)
expect(bx11.deprecation, None)
expect(client.storage_box_types.get_list(page=2, per_page=3).meta.pagination.total_entries, 4)
expect(client.storage_box_types.get_by_name("none"), None)
step("types")

# A box of which nothing is said, and one of which all is
created = create("plain")
expect((created.storage_box.status, created.storage_box.username), ("initializing", None))
made(created)
plain = boxes.get_by_id(created.storage_box.id)
expect((plain.status, plain.snapshot_plan, plain.labels, plain.protection), ("active", None, {}, {"delete": False}))
expect(set(fields(plain.access_settings).values()), {False})
expect(fields(plain.stats), {"size": 0, "size_data": 0, "size_snapshots": 0})
assert plain.server.startswith(f"{plain.username}."), plain.server
expect((plain.location.name, plain.storage_box_type.id), ("fsn1", bx11.id))
settings = StorageBoxAccessSettings(ssh_enabled=True, reachable_externally=True)
made(create("box", ssh_keys=[KEY, SSHKey(public_key=KEY)], access_settings=settings, labels={"env": "test"}))
box = boxes.get_by_name("box")
expect(
    fields(box.access_settings),
    {
        "reachable_externally": True,
        "samba_enabled": False,
        "ssh_enabled": True,
        "webdav_enabled": False,
        "zfs_enabled": False,
    },
)
refused("uniqueness_error", create, "box")
refused("invalid_input", create, "box", labels={"": "no"})
step("creation")

# Lists
expect(names(boxes.get_all(sort=["name:asc"])), ["box", "plain"])
expect(names(boxes.get_all(sort=["id:desc"])), ["box", "plain"])
expect(names(boxes.get_all(sort=["created", "id"])), ["plain", "box"])
expect(names(boxes.get_all(label_selector="env in (test, prod)")), ["box"])
expect(names(boxes.get_all(name="plain")), ["plain"])
page = boxes.get_list(page=2, per_page=1, sort=["name"])
expect((names(page.storage_boxes), page.meta.pagination.total_entries), (["plain"], 2))
expect(boxes.get_by_name("none"), None)
step("lists")

# Changes
expect(box.update(name="store", labels={"env": "prod"}).labels, {"env": "prod"})
expect(boxes.update(box).name, "store")
finish(box.change_protection(delete=True))
refused("protected", box.delete)
finish(box.change_protection(delete=False))
finish(box.change_type(bx21))
box.reload()
expect((box.name, box.storage_box_type.name), ("store", "bx21"))
finish(box.change_type(bx11))
finish(box.reset_password(f"{PASSWORD}x"))
expect(refused("invalid_input", box.reset_password, "short").details["fields"][0]["name"], "password")
finish(box.update_access_settings(StorageBoxAccessSettings(webdav_enabled=True, ssh_enabled=False)))
box.reload()
expect((box.access_settings.webdav_enabled, box.access_settings.ssh_enabled), (True, False))
expect(box.access_settings.reachable_externally, True)
step("changes")

# Plans
finish(box.enable_snapshot_plan(StorageBoxSnapshotPlan(max_snapshots=10, hour=3, minute=30)))
box.reload()
plan = {"max_snapshots": 10, "hour": 3, "minute": 30, "day_of_week": None, "day_of_month": None}
expect(fields(box.snapshot_plan), plan)
finish(box.enable_snapshot_plan(StorageBoxSnapshotPlan(max_snapshots=1, hour=0, minute=0, day_of_week=7)))
box.reload()
expect(fields(box.snapshot_plan), {**plan, "max_snapshots": 1, "hour": 0, "minute": 0, "day_of_week": 7})
expect(box.update(name="store").snapshot_plan.day_of_week, 7)
finish(box.disable_snapshot_plan())
box.reload()
expect(box.snapshot_plan, None)
step("plans")

# Snapshots
created = box.create_snapshot(description="first", labels={"kind": "manual"})
made(created)
first = box.get_snapshot_by_id(created.snapshot.id)
expect((first.description, first.labels, first.is_automatic), ("first", {"kind": "manual"}, False))
expect((first.storage_box.id, min(first.stats.size, first.stats.size_filesystem) >= 0), (box.id, True))
made(box.create_snapshot())
expect(box.get_snapshot_by_name(first.name).id, first.id)
expect(len(box.get_snapshot_list(sort=["created:desc"]).snapshots), 2)
second, again = box.get_snapshot_all(sort=["id:desc"])
expect((again.id, second.description), (first.id, ""))
expect([one.id for one in box.get_snapshot_all(label_selector="kind=manual")], [first.id])
expect(box.get_snapshot_all(is_automatic=True), [])
changed = first.update(description="kept", labels={})
expect((changed.description, changed.labels), ("kept", {}))
refused("invalid_input", lambda: first.update(description="no ~ here"))
finish(box.rollback_snapshot(first))
expect([one.id for one in box.get_snapshot_all()], [first.id])
finish(first.delete().action)
refused("not_found", box.get_snapshot_by_id, first.id)
expect(box.get_snapshot_by_name("none"), None)
step("snapshots")

# Subaccounts
access = StorageBoxSubaccountAccessSettings(ssh_enabled=True, readonly=True)
created = box.create_subaccount(
    name="web",
    home_directory="teams/web",
    password=PASSWORD,
    access_settings=access,
    description="the site",
    labels={"team": "web"},
)
made(created)
web = box.get_subaccount_by_id(created.subaccount.id)
expect((web.username, web.home_directory, web.description), (f"{box.username}-sub1", "teams/web", "the site"))
expect((web.access_settings.readonly, web.access_settings.samba_enabled), (True, False))
made(box.create_subaccount(home_directory="mail", password=PASSWORD))
mail = box.get_subaccount_by_username(f"{box.username}-sub2")
expect((mail.name, mail.description, mail.storage_box.id), (mail.username, "", box.id))
expect(box.get_subaccount_by_name("web").id, web.id)
expect(names(box.get_subaccount_all(sort=["id:desc"])), [mail.name, "web"])
expect(names(box.get_subaccount_list(label_selector="team=web").subaccounts), ["web"])
expect(web.update(name="site", description="moved", labels={}).name, "site")
finish(web.change_home_directory("teams/site"))
finish(web.reset_password(f"{PASSWORD}x"))
finish(web.update_access_settings(StorageBoxSubaccountAccessSettings(readonly=False, webdav_enabled=True)))
web.reload()
expect((web.name, web.description, web.labels, web.home_directory), ("site", "moved", {}, "teams/site"))
expect((web.access_settings.readonly, web.access_settings.ssh_enabled), (False, True))
refused("uniqueness_error", lambda: mail.update(name="site"))
refused("invalid_input", mail.change_home_directory, "/absolute")
expect(box.get_folders().folders, ["mail", "teams"])
expect(box.get_folders(path="teams").folders, ["site", "web"])
refused("not_found", lambda: box.get_folders(path="none"))
finish(web.delete().action, mail.delete().action)
refused("not_found", box.get_subaccount_by_id, web.id)
expect(box.get_subaccount_by_username(f"{box.username}-sub1"), None)
step("subaccounts")

# Actions
commands = {action.command for action in box.get_actions()}
expected = {"create", "change_type", "rollback_snapshot", "create_subaccount", "reset_subaccount_password"}
assert expected <= commands, commands
some = box.get_actions_list(status=["success"], sort=["id"], page=1, per_page=2).actions
expect([action.command for action in some], ["create", "change_protection"])
expect(boxes.actions.get_by_id(some[0].id).command, "create")
# The library has no method for this one.
one = boxes._client.request(method="GET", url=f"/storage_boxes/{box.id}/actions/{some[0].id}")
expect(one["action"]["command"], "create")
expect({action.status for action in boxes.actions.get_all()}, {"success"})
expect(len(boxes.actions.get_list(per_page=3).actions), 3)
step("actions")

# The end
finish(box.delete().action, plain.delete().action)
refused("not_found", boxes.get_by_id, box.id)
step("deletion")

report(storage_boxes=len(boxes.get_all()))
