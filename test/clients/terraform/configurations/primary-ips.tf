variable "name" { type = string }
variable "protected" { type = bool }

resource "hcloud_primary_ip" "main" {
  for_each          = toset(["one", "two"])
  name              = "${var.name}-${each.value}"
  type              = "ipv4"
  location          = "hel1"
  auto_delete       = false
  delete_protection = var.protected
  labels            = { family = "primary-ips" }
}

resource "hcloud_primary_ip" "six" {
  name     = "${var.name}-six"
  type     = "ipv6"
  location = "hel1"
}

resource "hcloud_server" "web" {
  name        = "addressed"
  server_type = "cx23"
  image       = "debian-13"
  location    = "hel1"
  public_net {
    ipv4 = hcloud_primary_ip.main["one"].id
    ipv6 = hcloud_primary_ip.six.id
  }
  lifecycle {
    # An imported server does not know them.
    ignore_changes = [public_net]
  }
}

data "hcloud_primary_ip" "by_address" {
  ip_address = hcloud_primary_ip.main["one"].ip_address
}

data "hcloud_primary_ips" "labelled" {
  with_selector = "family=primary-ips"
  depends_on    = [hcloud_server.web]
}

output "found" {
  value = {
    by_address = data.hcloud_primary_ip.by_address.delete_protection
    labelled   = [for ip in data.hcloud_primary_ips.labelled.primary_ips : tostring(ip.assignee_id) if ip.assignee_type == "server"]
  }
}

output "expected" {
  value = {
    by_address = var.protected
    labelled   = [hcloud_server.web.id]
  }
}
