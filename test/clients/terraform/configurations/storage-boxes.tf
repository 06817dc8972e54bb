variable "name" { type = string }
variable "type" { type = string }
variable "password" { type = string }
variable "protected" { type = bool }
variable "ssh" { type = bool }
variable "day" { type = number }
variable "description" { type = string }
variable "home" { type = string }

# What is not said is off, and there is no plan.
resource "hcloud_storage_box" "plain" {
  name             = "plain"
  storage_box_type = "bx11"
  location         = "fsn1"
  password         = var.password
}

resource "hcloud_storage_box" "full" {
  name             = var.name
  storage_box_type = var.type
  location         = "hel1"
  password         = var.password
  labels           = { family = "storage-boxes" }

  access_settings = {
    reachable_externally = true
    samba_enabled        = false
    ssh_enabled          = var.ssh
    webdav_enabled       = false
    zfs_enabled          = true
  }

  snapshot_plan = {
    max_snapshots = 10
    minute        = 16
    hour          = 18
    day_of_week   = var.day
  }

  delete_protection = var.protected
}

# Several at once: all but one are refused as locked, and repeated.
resource "hcloud_storage_box_snapshot" "some" {
  count          = 2
  storage_box_id = hcloud_storage_box.full.id
  description    = var.description
  labels         = { number = count.index }
}

resource "hcloud_storage_box_subaccount" "some" {
  count          = 3
  storage_box_id = hcloud_storage_box.full.id
  home_directory = "${var.home}/${count.index}"
  password       = var.password
  access_settings = {
    readonly    = true
    ssh_enabled = var.ssh
  }
}

resource "hcloud_storage_box_subaccount" "named" {
  storage_box_id = hcloud_storage_box.full.id
  name           = var.description
  description    = "it is ${var.description}"
  home_directory = var.home
  password       = var.password
  labels         = { kind = "named", home = var.home }
  access_settings = {
    reachable_externally = true
    webdav_enabled       = var.ssh
  }
}

locals {
  all = [hcloud_storage_box.full, hcloud_storage_box_snapshot.some, hcloud_storage_box_subaccount.some,
  hcloud_storage_box_subaccount.named]
}

data "hcloud_storage_box" "by_name" {
  name       = hcloud_storage_box.full.name
  depends_on = [local.all]
}

data "hcloud_storage_box" "by_id" {
  id         = hcloud_storage_box.full.id
  depends_on = [local.all]
}

data "hcloud_storage_boxes" "by_label" {
  with_selector = "family=storage-boxes"
  depends_on    = [local.all]
}

data "hcloud_storage_box_snapshot" "by_id" {
  storage_box_id = hcloud_storage_box.full.id
  id             = hcloud_storage_box_snapshot.some[1].id
  depends_on     = [local.all]
}

data "hcloud_storage_box_snapshot" "by_name" {
  storage_box_id = hcloud_storage_box.full.id
  name           = hcloud_storage_box_snapshot.some[1].name
  depends_on     = [local.all]
}

data "hcloud_storage_box_snapshots" "by_label" {
  storage_box_id = hcloud_storage_box.full.id
  with_selector  = "number=0"
  depends_on     = [local.all]
}

data "hcloud_storage_box_subaccount" "by_username" {
  storage_box_id = hcloud_storage_box.full.id
  username       = hcloud_storage_box_subaccount.named.username
  depends_on     = [local.all]
}

data "hcloud_storage_box_subaccount" "by_name" {
  storage_box_id = hcloud_storage_box.full.id
  name           = hcloud_storage_box_subaccount.named.name
  depends_on     = [local.all]
}

data "hcloud_storage_box_subaccount" "by_id" {
  storage_box_id = hcloud_storage_box.full.id
  id             = hcloud_storage_box_subaccount.named.id
  depends_on     = [local.all]
}

data "hcloud_storage_box_subaccounts" "by_label" {
  storage_box_id = hcloud_storage_box.full.id
  with_selector  = "kind=named"
  depends_on     = [local.all]
}

data "hcloud_storage_box_types" "all" {}

data "hcloud_storage_box_type" "by_name" {
  name = "bx21"
}

data "hcloud_storage_box_type" "by_id" {
  id = data.hcloud_storage_box_type.by_name.id
}

output "found" {
  value = {
    username = data.hcloud_storage_box.by_name.username
    plan     = data.hcloud_storage_box.by_id.snapshot_plan
    labelled = [for one in data.hcloud_storage_boxes.by_label.storage_boxes : one.id]
    # Names of snapshots are times, which may be the same.
    snapshots = [data.hcloud_storage_box_snapshot.by_id.labels, data.hcloud_storage_box_snapshots.by_label.snapshots[*].id]
    stamp     = data.hcloud_storage_box_snapshot.by_name.name
    accounts = [
      data.hcloud_storage_box_subaccount.by_username.description,
      data.hcloud_storage_box_subaccount.by_name.home_directory,
      data.hcloud_storage_box_subaccount.by_id.access_settings.webdav_enabled,
      data.hcloud_storage_box_subaccounts.by_label.subaccounts[*].username,
    ]
    names = [for one in hcloud_storage_box_subaccount.some : one.name]
    types = length(data.hcloud_storage_box_types.all.storage_box_types)
    size  = data.hcloud_storage_box_type.by_id.size
  }
}

output "expected" {
  value = {
    username  = hcloud_storage_box.full.username
    plan      = hcloud_storage_box.full.snapshot_plan
    labelled  = [hcloud_storage_box.full.id]
    snapshots = [{ number = "1" }, [hcloud_storage_box_snapshot.some[0].id]]
    stamp     = hcloud_storage_box_snapshot.some[1].name
    accounts  = ["it is ${var.description}", var.home, var.ssh, [hcloud_storage_box_subaccount.named.username]]
    names     = [for one in hcloud_storage_box_subaccount.some : one.username]
    types     = 4
    size      = 5 * pow(2, 40)
  }
}
