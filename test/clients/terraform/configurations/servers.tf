variable "name" { type = string }
variable "server_type" { type = string }
variable "image" { type = string }
variable "user_data" { type = string }
variable "keep_disk" { type = bool }
variable "backups" { type = bool }
variable "rescue" { type = string }
variable "iso" { type = string }
variable "protected" { type = bool }
variable "labels" { type = map(string) }
variable "public_key" { type = string }

data "hcloud_location" "home" {
  name = "hel1"
}

data "hcloud_locations" "all" {}

data "hcloud_server_type" "wanted" {
  name = var.server_type
}

data "hcloud_server_types" "all" {}

data "hcloud_image" "wanted" {
  name              = var.image
  with_architecture = "arm"
}

data "hcloud_images" "arm" {
  with_architecture = ["arm"]
}

resource "hcloud_ssh_key" "main" {
  name       = "servers"
  public_key = var.public_key
}

# All that changes a server and keeps it.
resource "hcloud_server" "main" {
  name                     = var.name
  server_type              = data.hcloud_server_type.wanted.name
  image                    = "debian-12"
  location                 = data.hcloud_location.home.name
  ssh_keys                 = [hcloud_ssh_key.main.id]
  user_data                = "#cloud-config\n"
  keep_disk                = var.keep_disk
  backups                  = var.backups
  rescue                   = var.rescue
  iso                      = var.iso
  delete_protection        = var.protected
  rebuild_protection       = var.protected
  shutdown_before_deletion = true
  labels                   = merge(var.labels, { family = "servers" })
  lifecycle {
    # Told to nobody, so that an imported server has none.
    ignore_changes = [ssh_keys, user_data]
  }
}

# It loses what the other one gains.
resource "hcloud_server" "spare" {
  name        = "spare"
  server_type = "cx33"
  image       = "debian-12"
  location    = data.hcloud_location.home.name
  backups     = !var.backups
  rescue      = var.rescue == null ? "linux64" : null
  iso         = var.iso == null ? "systemrescue-12.02-amd64.iso" : null
}

# A new image or user data makes it anew.
resource "hcloud_server" "replaced" {
  name        = "replaced"
  server_type = "cax11"
  image       = var.image
  location    = data.hcloud_location.home.name
  user_data   = var.user_data
  labels      = { family = "servers" }
}

data "hcloud_server" "by_name" {
  name = hcloud_server.main.name
}

data "hcloud_servers" "labelled" {
  with_selector = "family=servers"
  depends_on    = [hcloud_server.main, hcloud_server.replaced]
}

output "found" {
  value = {
    by_name      = data.hcloud_server.by_name.primary_disk_size
    labelled     = sort(data.hcloud_servers.labelled.servers[*].name)
    locations    = contains(data.hcloud_locations.all.locations, data.hcloud_location.home)
    server_types = contains(data.hcloud_server_types.all.server_types[*].id, data.hcloud_server_type.wanted.id)
    images       = [for image in data.hcloud_images.arm.images : image.id if image.name == var.image]
  }
}

output "expected" {
  value = {
    by_name      = hcloud_server.main.primary_disk_size
    labelled     = sort([var.name, "replaced"])
    locations    = true
    server_types = true
    images       = [data.hcloud_image.wanted.id]
  }
}
