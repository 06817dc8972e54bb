variable "alias_ips" { type = list(string) }
variable "inline_ip" { type = string }
variable "joined_ip" { type = string }

resource "hcloud_network" "main" {
  name     = "joined"
  ip_range = "10.0.0.0/16"
}

resource "hcloud_network_subnet" "main" {
  count        = 2
  network_id   = hcloud_network.main.id
  type         = "cloud"
  network_zone = "eu-central"
  ip_range     = "10.0.${count.index + 1}.0/24"
}

resource "hcloud_server" "inline" {
  name        = "inline"
  server_type = "cx23"
  image       = "debian-13"
  location    = "hel1"
  network {
    subnet_id = hcloud_network_subnet.main[0].id
    ip        = var.inline_ip
    alias_ips = var.alias_ips
  }
}

# It is reached over the network only, so that it starts when it is there.
resource "hcloud_server" "private" {
  name        = "private"
  server_type = "cx23"
  image       = "debian-13"
  location    = "hel1"
  public_net {
    ipv4_enabled = false
    ipv6_enabled = false
  }
  network {
    network_id = hcloud_network.main.id
    ip         = "10.0.2.20"
    alias_ips  = [for address in var.alias_ips : replace(address, "10.0.1.1", "10.0.2.2")]
  }
  depends_on = [hcloud_network_subnet.main]
}

resource "hcloud_server" "joining" {
  count       = 2
  name        = "joining-${count.index}"
  server_type = "cx23"
  image       = "debian-13"
  location    = "nbg1"
}

resource "hcloud_server_network" "named" {
  server_id  = hcloud_server.joining[0].id
  network_id = hcloud_network.main.id
  ip         = var.joined_ip
  alias_ips  = [for address in var.alias_ips : replace(address, "10.0.1.", "10.0.2.")]
  depends_on = [hcloud_network_subnet.main]
}

resource "hcloud_server_network" "lowest" {
  server_id = hcloud_server.joining[1].id
  subnet_id = hcloud_network_subnet.main[0].id
  lifecycle {
    # An imported one knows only its network.
    ignore_changes = [network_id, subnet_id]
  }
}
