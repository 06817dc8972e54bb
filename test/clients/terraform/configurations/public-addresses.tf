variable "ipv4" { type = string }
variable "ipv6" { type = bool }

resource "hcloud_primary_ip" "main" {
  for_each = toset(["public-1", "public-2"])
  name     = each.value
  type     = "ipv4"
  location = "hel1"
}

# Its addresses are moved while it is off, which takes a moment.
resource "hcloud_server" "moving" {
  name        = "moving"
  server_type = "cx23"
  image       = "debian-13"
  location    = "hel1"
  public_net {
    ipv4         = hcloud_primary_ip.main[var.ipv4].id
    ipv6_enabled = var.ipv6
  }
}

# It has one of its own, or none.
resource "hcloud_server" "own" {
  name        = "own"
  server_type = "cx23"
  image       = "debian-13"
  location    = "hel1"
  public_net {
    ipv4_enabled = !var.ipv6
    ipv6_enabled = true
  }
}

data "hcloud_server" "moving" {
  name       = "moving"
  depends_on = [hcloud_server.moving, hcloud_primary_ip.main]
}

output "found" {
  value = {
    ipv4 = data.hcloud_server.moving.ipv4_address
    ipv6 = can(cidrhost(data.hcloud_server.moving.ipv6_network, 1))
  }
}

output "expected" {
  value = {
    ipv4 = hcloud_primary_ip.main[var.ipv4].ip_address
    ipv6 = var.ipv6
  }
}
