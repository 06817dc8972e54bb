variable "image" { type = string }
variable "range" { type = string }
variable "volumes" { type = number }

resource "hcloud_network" "main" {
  name     = "replaced"
  ip_range = var.range
}

resource "hcloud_network_subnet" "main" {
  network_id   = hcloud_network.main.id
  type         = "cloud"
  network_zone = "eu-central"
  ip_range     = cidrsubnet(var.range, 8, 1)
}

resource "hcloud_firewall" "main" {
  name = "replacements"
}

resource "hcloud_primary_ip" "main" {
  name     = "replacements"
  type     = "ipv4"
  location = "fsn1"
}

# A server of another image is another server: all that hangs on it moves.
resource "hcloud_server" "main" {
  name        = "new-again"
  server_type = "cx23"
  image       = var.image
  location    = "fsn1"
  public_net {
    ipv4 = hcloud_primary_ip.main.id
  }
  network {
    network_id = hcloud_network.main.id
    ip         = cidrhost(hcloud_network_subnet.main.ip_range, 9)
    alias_ips  = []
  }
  lifecycle {
    ignore_changes = [public_net, firewall_ids]
  }
}

# The new one is there before the old one goes.
resource "hcloud_server" "overlapping" {
  name        = "from-${var.image}"
  server_type = "cx23"
  image       = var.image
  location    = "fsn1"
  lifecycle {
    create_before_destroy = true
  }
}

resource "hcloud_server_network" "overlapping" {
  server_id  = hcloud_server.overlapping.id
  network_id = hcloud_network.main.id
  depends_on = [hcloud_network_subnet.main]
}

resource "hcloud_volume" "main" {
  count    = var.volumes
  name     = "replacements-${count.index}"
  size     = 10
  location = "fsn1"
}

resource "hcloud_volume_attachment" "main" {
  count     = var.volumes
  volume_id = hcloud_volume.main[count.index].id
  server_id = hcloud_server.main.id
}

resource "hcloud_floating_ip" "main" {
  count         = 4
  type          = "ipv4"
  home_location = "fsn1"
}

resource "hcloud_floating_ip_assignment" "main" {
  count          = 4
  floating_ip_id = hcloud_floating_ip.main[count.index].id
  server_id      = hcloud_server.main.id
}

resource "hcloud_firewall_attachment" "main" {
  firewall_id = hcloud_firewall.main.id
  server_ids  = [hcloud_server.main.id]
}

resource "hcloud_rdns" "main" {
  server_id  = hcloud_server.main.id
  ip_address = hcloud_server.main.ipv6_address
  dns_ptr    = "new.example.com"
}

resource "hcloud_load_balancer" "main" {
  name               = "replacements"
  load_balancer_type = "lb11"
  location           = "fsn1"
}

resource "hcloud_load_balancer_network" "main" {
  load_balancer_id = hcloud_load_balancer.main.id
  network_id       = hcloud_network.main.id
  ip               = cidrhost(hcloud_network_subnet.main.ip_range, 7)
}

resource "hcloud_load_balancer_target" "main" {
  load_balancer_id = hcloud_load_balancer_network.main.load_balancer_id
  type             = "server"
  server_id        = hcloud_server.main.id
  use_private_ip   = true
}
