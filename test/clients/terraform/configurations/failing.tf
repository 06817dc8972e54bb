variable "name" { type = string }
variable "size" { type = number }
variable "gateway" { type = string }
variable "port" { type = number }

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

resource "hcloud_load_balancer" "main" {
  name               = var.name
  load_balancer_type = "lb11"
  location           = "hel1"
}

resource "hcloud_load_balancer_service" "main" {
  load_balancer_id = hcloud_load_balancer.main.id
  protocol         = "tcp"
  listen_port      = var.port
  destination_port = 25
}

resource "hcloud_load_balancer_network" "main" {
  load_balancer_id = hcloud_load_balancer.main.id
  network_id       = hcloud_network.main.id
  depends_on       = [hcloud_network_subnet.main]
}

resource "hcloud_network_subnet" "main" {
  network_id   = hcloud_network.main.id
  type         = "cloud"
  network_zone = "eu-central"
  ip_range     = "10.0.1.0/24"
}

output "paths" {
  value = [
    "load_balancers/${hcloud_load_balancer.main.id}",
    "networks/${hcloud_network.main.id}",
    "volumes/${hcloud_volume.main.id}",
  ]
}
