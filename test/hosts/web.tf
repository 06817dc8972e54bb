# Two web servers in a private network, and a balancer that reaches them there.

resource "hcloud_network" "main" {
  name     = "web"
  ip_range = "10.0.0.0/16"
}

resource "hcloud_network_subnet" "main" {
  network_id   = hcloud_network.main.id
  type         = "cloud"
  network_zone = "eu-central"
  ip_range     = "10.0.1.0/24"
}

resource "hcloud_server" "main" {
  count       = 2
  name        = "web-${count.index}"
  server_type = "cpx22"
  image       = "debian-12"
  location    = "hel1"
  user_data   = replace(file("${path.module}/user-data.yaml"), "NUMBER", count.index)
  network {
    subnet_id = hcloud_network_subnet.main.id
    ip        = "10.0.1.${count.index + 10}"
    alias_ips = []
  }
}

resource "hcloud_load_balancer" "main" {
  name               = "web"
  load_balancer_type = "lb11"
  location           = "hel1"
}

resource "hcloud_load_balancer_network" "main" {
  load_balancer_id = hcloud_load_balancer.main.id
  subnet_id        = hcloud_network_subnet.main.id
}

resource "hcloud_load_balancer_target" "main" {
  count            = 2
  load_balancer_id = hcloud_load_balancer_network.main.load_balancer_id
  type             = "server"
  server_id        = hcloud_server.main[count.index].id
  use_private_ip   = true
}

resource "hcloud_load_balancer_service" "main" {
  load_balancer_id = hcloud_load_balancer.main.id
  protocol         = "http"
  listen_port      = 80
  destination_port = 8080
  health_check {
    protocol = "http"
    port     = 8080
    interval = 3
    timeout  = 2
    retries  = 1
    http {
      path         = "/"
      status_codes = ["2??"]
    }
  }
}

output "address" {
  value = hcloud_load_balancer.main.ipv4
}
