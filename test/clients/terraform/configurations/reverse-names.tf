variable "domain" { type = string }

resource "hcloud_server" "main" {
  name        = "named"
  server_type = "cx23"
  image       = "debian-13"
  location    = "hel1"
}

resource "hcloud_primary_ip" "main" {
  name     = "named"
  type     = "ipv6"
  location = "hel1"
}

resource "hcloud_floating_ip" "main" {
  name          = "named"
  type          = "ipv4"
  home_location = "hel1"
}

resource "hcloud_rdns" "server" {
  server_id  = hcloud_server.main.id
  ip_address = hcloud_server.main.ipv4_address
  dns_ptr    = "four.${var.domain}"
}

resource "hcloud_rdns" "server_six" {
  server_id  = hcloud_server.main.id
  ip_address = hcloud_server.main.ipv6_address
  dns_ptr    = "six.${var.domain}"
}

resource "hcloud_rdns" "primary_ip" {
  primary_ip_id = hcloud_primary_ip.main.id
  ip_address    = cidrhost(hcloud_primary_ip.main.ip_network, 2)
  dns_ptr       = "primary.${var.domain}"
}

resource "hcloud_rdns" "floating_ip" {
  floating_ip_id = hcloud_floating_ip.main.id
  ip_address     = hcloud_floating_ip.main.ip_address
  dns_ptr        = "floating.${var.domain}"
}
