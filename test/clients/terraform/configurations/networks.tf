variable "name" { type = string }
variable "exposed" { type = bool }
variable "protected" { type = bool }
variable "subnets" { type = map(string) }
variable "routes" { type = map(string) }

resource "hcloud_network" "main" {
  name                     = var.name
  ip_range                 = "10.0.0.0/8"
  expose_routes_to_vswitch = var.exposed
  delete_protection        = var.protected
  labels                   = { family = "networks" }
}

# Subnets and routes come at the same time, though the network changes one at a time.
resource "hcloud_network_subnet" "main" {
  for_each     = var.subnets
  network_id   = hcloud_network.main.id
  type         = "cloud"
  network_zone = each.value
  ip_range     = each.key
}

resource "hcloud_network_route" "main" {
  for_each    = var.routes
  network_id  = hcloud_network.main.id
  destination = each.key
  gateway     = each.value
}

data "hcloud_network" "by_name" {
  name = hcloud_network.main.name
}

data "hcloud_networks" "labelled" {
  with_selector = "family=networks"
  depends_on    = [hcloud_network.main]
}

output "found" {
  value = {
    by_name  = tostring(data.hcloud_network.by_name.id)
    labelled = data.hcloud_networks.labelled.networks[*].expose_routes_to_vswitch
  }
}

output "expected" {
  value = {
    by_name  = hcloud_network.main.id
    labelled = [var.exposed]
  }
}
