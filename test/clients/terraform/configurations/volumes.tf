variable "name" { type = string }
variable "size" { type = number }
variable "protected" { type = bool }
variable "host" { type = string }

resource "hcloud_server" "host" {
  for_each    = toset(["volumes-1", "volumes-2"])
  name        = each.value
  server_type = "cx23"
  image       = "debian-13"
  location    = "fsn1"
}

# One is made with its server, others on their own and attached at the same time.
resource "hcloud_volume" "with_server" {
  name      = var.name
  size      = var.size
  server_id = hcloud_server.host["volumes-1"].id
  format    = "ext4"
  automount = true
  lifecycle {
    # How it was made is told to nobody.
    ignore_changes = [format, automount]
  }
}

resource "hcloud_volume" "alone" {
  count             = 2
  name              = "alone-${count.index}"
  size              = var.size
  location          = "fsn1"
  delete_protection = var.protected
  labels            = { family = "volumes" }
}

resource "hcloud_volume_attachment" "moving" {
  count     = 2
  volume_id = hcloud_volume.alone[count.index].id
  server_id = hcloud_server.host[var.host].id
}

data "hcloud_volume" "by_name" {
  name = hcloud_volume.with_server.name
}

data "hcloud_volumes" "labelled" {
  with_selector = "family=volumes"
  depends_on    = [hcloud_volume_attachment.moving]
}

output "found" {
  value = {
    by_name  = data.hcloud_volume.by_name.size
    labelled = [for volume in data.hcloud_volumes.labelled.volumes : tostring(volume.server_id)]
  }
}

output "expected" {
  value = {
    by_name  = hcloud_volume.with_server.size
    labelled = [for volume in hcloud_volume.alone : hcloud_server.host[var.host].id]
  }
}
