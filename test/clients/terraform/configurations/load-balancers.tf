variable "name" { type = string }
variable "type" { type = string }
variable "algorithm" { type = string }
variable "domain" { type = string }
variable "certificate" { type = string }
variable "private_key" { type = string }
variable "protected" { type = bool }
variable "exposed" { type = bool }
variable "sticky" { type = bool }
variable "front" { type = string }
variable "ip" { type = string }


resource "hcloud_network" "main" {
  name     = "balanced"
  ip_range = "10.0.0.0/16"
}

resource "hcloud_network_subnet" "main" {
  count        = 2
  network_id   = hcloud_network.main.id
  type         = "cloud"
  network_zone = "eu-central"
  ip_range     = "10.0.${count.index + 1}.0/24"
}

resource "hcloud_server" "main" {
  count       = 2
  name        = "balanced-${count.index}"
  server_type = "cx23"
  image       = "debian-13"
  location    = "hel1"
  labels      = { tier = "balanced" }
}

resource "hcloud_server_network" "main" {
  count     = 2
  server_id = hcloud_server.main[count.index].id
  subnet_id = hcloud_network_subnet.main[0].id
  lifecycle {
    # An imported one knows only its network.
    ignore_changes = [network_id, subnet_id]
  }
}

resource "hcloud_uploaded_certificate" "main" {
  name        = "balanced-${var.domain}"
  certificate = var.certificate
  private_key = var.private_key
  lifecycle {
    # The new one is in use before the old one goes.
    create_before_destroy = true
    # It is told to nobody, so that an imported certificate has none.
    ignore_changes = [private_key]
  }
}

# ---- One for the public

resource "hcloud_load_balancer" "public" {
  name               = var.name
  load_balancer_type = var.type
  location           = "hel1"
  delete_protection  = var.protected
  labels             = { family = "balancers", version = var.name }
  algorithm {
    type = var.algorithm
  }
}

resource "hcloud_load_balancer_network" "public" {
  load_balancer_id = hcloud_load_balancer.public.id
  subnet_id        = hcloud_network_subnet.main[0].id
  ip               = var.ip
  lifecycle {
    # An imported one knows only its network.
    ignore_changes = [subnet_id]
  }
}

# Services and targets of one Load Balancer come at the same time, though it changes one at a time.
resource "hcloud_load_balancer_service" "plain" {
  load_balancer_id = hcloud_load_balancer.public.id
  protocol         = "http"
}

resource "hcloud_load_balancer_service" "secure" {
  load_balancer_id = hcloud_load_balancer.public.id
  protocol         = "https"
  destination_port = 8080
  http {
    certificates    = [hcloud_uploaded_certificate.main.id]
    sticky_sessions = var.sticky
    cookie_name     = var.sticky ? "keks" : "HCLBSTICKY"
    cookie_lifetime = var.sticky ? 60 : 300
    timeout_idle    = var.sticky ? 60 : 50
  }
  health_check {
    protocol = var.sticky ? "http" : "tcp"
    port     = 8080
    interval = 20
    timeout  = 5
    retries  = 2
    dynamic "http" {
      for_each = var.sticky ? [1] : []
      content {
        domain       = "www.${var.domain}"
        path         = "/up"
        response     = "fine"
        tls          = true
        status_codes = ["200", "3??"]
      }
    }
  }
}

# The other protocol takes the place of this service.
resource "hcloud_load_balancer_service" "front" {
  load_balancer_id = hcloud_load_balancer.public.id
  protocol         = var.front
  listen_port      = 8443
  destination_port = 8443
  proxyprotocol    = var.front == "tcp"
  health_check {
    protocol = "tcp"
    port     = 8443
    interval = 15
    timeout  = 10
    retries  = 3
  }
}

resource "hcloud_load_balancer_target" "public" {
  type             = "server"
  load_balancer_id = hcloud_load_balancer.public.id
  server_id        = hcloud_server.main[0].id
}

resource "hcloud_load_balancer_target" "private" {
  type             = "server"
  load_balancer_id = hcloud_load_balancer_network.public.load_balancer_id
  server_id        = hcloud_server.main[1].id
  use_private_ip   = true
  depends_on       = [hcloud_server_network.main]
  lifecycle {
    # Outside of the network there are no private targets.
    replace_triggered_by = [hcloud_load_balancer_network.public]
  }
}

resource "hcloud_rdns" "four" {
  load_balancer_id = hcloud_load_balancer.public.id
  ip_address       = hcloud_load_balancer.public.ipv4
  dns_ptr          = "four.${var.domain}"
}

resource "hcloud_rdns" "six" {
  load_balancer_id = hcloud_load_balancer.public.id
  ip_address       = hcloud_load_balancer.public.ipv6
  dns_ptr          = "six.${var.domain}"
}

# ---- One inside

resource "hcloud_load_balancer" "inner" {
  name               = "inner"
  load_balancer_type = "lb11"
  network_zone       = "eu-central"
}

resource "hcloud_load_balancer_network" "inner" {
  load_balancer_id        = hcloud_load_balancer.inner.id
  network_id              = hcloud_network.main.id
  enable_public_interface = var.exposed
  depends_on              = [hcloud_network_subnet.main]
}

resource "hcloud_load_balancer_service" "inner" {
  load_balancer_id = hcloud_load_balancer.inner.id
  protocol         = "tcp"
  listen_port      = 5432
  destination_port = 5432
}

resource "hcloud_load_balancer_target" "inner" {
  type             = "label_selector"
  load_balancer_id = hcloud_load_balancer_network.inner.load_balancer_id
  label_selector   = "tier=balanced"
  use_private_ip   = true
}

# ---- What is found

data "hcloud_load_balancer" "by_name" {
  name       = hcloud_load_balancer.public.name
  depends_on = [hcloud_load_balancer_service.front, hcloud_load_balancer_network.public]
}

data "hcloud_load_balancers" "labelled" {
  with_selector = "version=${var.name}"
  depends_on    = [hcloud_load_balancer.public]
}

data "hcloud_load_balancer_type" "used" {
  name = var.type
}

data "hcloud_load_balancer_types" "all" {}

output "found" {
  value = {
    by_name  = tostring(data.hcloud_load_balancer.by_name.id)
    network  = data.hcloud_load_balancer.by_name.network_ip
    labelled = data.hcloud_load_balancers.labelled.load_balancers[*].name
    services = data.hcloud_load_balancer_type.used.max_services
    types    = data.hcloud_load_balancer_types.all.load_balancer_types[*].name
    defaults = hcloud_load_balancer_service.plain.http[0]
    check    = hcloud_load_balancer_service.plain.health_check[0]
    front    = hcloud_load_balancer_service.front.health_check[0].protocol
  }
}

output "expected" {
  value = {
    by_name  = hcloud_load_balancer.public.id
    network  = var.ip
    labelled = [var.name]
    services = var.type == "lb11" ? 5 : 15
    types    = ["lb11", "lb21", "lb31"]
    defaults = {
      sticky_sessions = false
      cookie_name     = "HCLBSTICKY"
      cookie_lifetime = 300
      certificates    = []
      redirect_http   = false
      timeout_idle    = 50
    }
    check = {
      protocol = "http"
      port     = 80
      interval = 15
      timeout  = 10
      retries  = 3
      http     = [{ domain = "", path = "/", response = "", tls = false, status_codes = ["2??", "3??"] }]
    }
    front = "tcp"
  }
}
