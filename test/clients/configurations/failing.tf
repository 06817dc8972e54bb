variable "name" { type = string }
variable "size" { type = number }
variable "gateway" { type = string }

resource "hcloud_network" "main" {
  name     = var.name
  ip_range = "10.0.0.0/16"
}

resource "hcloud_network_route" "main" {
  network_id  = hcloud_network.main.id
  destination = "10.0.100.0/24"
  gateway     = var.gateway
}

resource "hcloud_volume" "main" {
  name     = var.name
  size     = var.size
  location = "hel1"
}

output "paths" {
  value = ["networks/${hcloud_network.main.id}", "volumes/${hcloud_volume.main.id}"]
}
