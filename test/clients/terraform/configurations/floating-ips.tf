variable "description" { type = string }
variable "protected" { type = bool }
variable "server" { type = string }

resource "hcloud_server" "target" {
  for_each    = toset(["floating-1", "floating-2"])
  name        = each.value
  server_type = "cx23"
  image       = "debian-13"
  location    = "hel1"
}

resource "hcloud_floating_ip" "homed" {
  name              = "homed"
  type              = "ipv4"
  home_location     = "nbg1"
  description       = var.description
  delete_protection = var.protected
  labels            = { family = "floating-ips" }
}

resource "hcloud_floating_ip_assignment" "homed" {
  floating_ip_id = hcloud_floating_ip.homed.id
  server_id      = hcloud_server.target[var.server].id
}

resource "hcloud_floating_ip" "routed" {
  type      = "ipv6"
  server_id = hcloud_server.target[var.server].id
}

data "hcloud_floating_ip" "by_address" {
  ip_address = hcloud_floating_ip.homed.ip_address
}

data "hcloud_floating_ips" "labelled" {
  with_selector = "family=floating-ips"
  depends_on    = [hcloud_floating_ip_assignment.homed]
}

output "found" {
  value = {
    by_address = data.hcloud_floating_ip.by_address.description
    labelled   = [for ip in data.hcloud_floating_ips.labelled.floating_ips : tostring(ip.server_id)]
  }
}

output "expected" {
  value = {
    by_address = var.description
    labelled   = [hcloud_server.target[var.server].id]
  }
}
