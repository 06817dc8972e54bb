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

data "hcloud_storage_box" "by_name" {
  name       = hcloud_storage_box.full.name
  depends_on = [hcloud_storage_box.full]
}

data "hcloud_storage_box_types" "all" {}

output "found" {
  value = {
    username = data.hcloud_storage_box.by_name.username
    names    = [for one in hcloud_storage_box_subaccount.some : one.name]
    types    = length(data.hcloud_storage_box_types.all.storage_box_types)
  }
}

output "expected" {
  value = {
    username = hcloud_storage_box.full.username
    names    = [for one in hcloud_storage_box_subaccount.some : one.username]
    types    = 4
  }
}
