# What a small company has: two web servers and a database behind a bastion, with everything that hangs on them.
variable "web_servers" { type = number }
variable "web_type" { type = string }
variable "balancer_type" { type = string }
variable "data_size" { type = number }
variable "office" { type = list(string) }
variable "domain" { type = string }
variable "office_range" { type = string }
variable "protected" { type = bool }
variable "public_key" { type = string }

locals {
  labels   = { project = "shop" }
  location = "hel1"
}

resource "hcloud_ssh_key" "admin" {
  name       = "admin"
  public_key = var.public_key
  labels     = local.labels
}

# ---- Networks

resource "hcloud_network" "backend" {
  name     = "backend"
  ip_range = "10.0.0.0/8"
  labels   = local.labels
}

resource "hcloud_network_subnet" "web" {
  network_id   = hcloud_network.backend.id
  type         = "cloud"
  network_zone = "eu-central"
  ip_range     = "10.0.1.0/24"
}

resource "hcloud_network_subnet" "data" {
  network_id   = hcloud_network.backend.id
  type         = "cloud"
  network_zone = "eu-central"
  ip_range     = "10.0.2.0/24"
}

resource "hcloud_network_route" "internet" {
  network_id  = hcloud_network.backend.id
  destination = "0.0.0.0/0"
  gateway     = hcloud_server_network.bastion.ip
}

resource "hcloud_network_route" "office" {
  network_id  = hcloud_network.backend.id
  destination = var.office_range
  gateway     = hcloud_server_network.bastion.ip
}

# ---- Firewalls

resource "hcloud_firewall" "web" {
  name   = "web"
  labels = local.labels
  dynamic "rule" {
    for_each = ["80", "443"]
    content {
      direction  = "in"
      protocol   = "tcp"
      port       = rule.value
      source_ips = ["0.0.0.0/0", "::/0"]
    }
  }
  apply_to {
    label_selector = "tier=web"
  }
}

resource "hcloud_firewall" "ssh" {
  name   = "ssh"
  labels = local.labels
  rule {
    direction   = "in"
    protocol    = "tcp"
    port        = "22"
    source_ips  = var.office
    description = "from the office"
  }
}

# ---- Addresses

resource "hcloud_primary_ip" "bastion" {
  name        = "bastion"
  type        = "ipv4"
  location    = local.location
  auto_delete = false
  labels      = local.labels
}

resource "hcloud_floating_ip" "shop" {
  name          = "shop"
  type          = "ipv4"
  home_location = local.location
  description   = "moves between the web servers"
  labels        = local.labels
}

resource "hcloud_floating_ip_assignment" "shop" {
  floating_ip_id = hcloud_floating_ip.shop.id
  server_id      = hcloud_server.web[var.web_servers - 1].id
}

resource "hcloud_rdns" "shop" {
  floating_ip_id = hcloud_floating_ip.shop.id
  ip_address     = hcloud_floating_ip.shop.ip_address
  dns_ptr        = "shop.${var.domain}"
}

resource "hcloud_rdns" "bastion" {
  primary_ip_id = hcloud_primary_ip.bastion.id
  ip_address    = hcloud_primary_ip.bastion.ip_address
  dns_ptr       = "bastion.${var.domain}"
}

resource "hcloud_rdns" "web" {
  count      = var.web_servers
  server_id  = hcloud_server.web[count.index].id
  ip_address = hcloud_server.web[count.index].ipv6_address
  dns_ptr    = "web-${count.index}.${var.domain}"
}

# ---- Servers

resource "hcloud_placement_group" "web" {
  name   = "web"
  type   = "spread"
  labels = local.labels
}

resource "hcloud_server" "bastion" {
  name         = "bastion"
  server_type  = "cax11"
  image        = "debian-13"
  location     = local.location
  ssh_keys     = [hcloud_ssh_key.admin.id]
  firewall_ids = [hcloud_firewall.ssh.id]
  labels       = local.labels
  public_net {
    ipv4         = hcloud_primary_ip.bastion.id
    ipv6_enabled = false
  }
  lifecycle {
    ignore_changes = [ssh_keys, public_net]
  }
}

resource "hcloud_server_network" "bastion" {
  server_id = hcloud_server.bastion.id
  subnet_id = hcloud_network_subnet.web.id
  ip        = "10.0.1.2"
  lifecycle {
    # An imported one knows only its network.
    ignore_changes = [network_id, subnet_id]
  }
}

resource "hcloud_server" "web" {
  count              = var.web_servers
  name               = "web-${count.index}"
  server_type        = var.web_type
  image              = "debian-13"
  location           = local.location
  ssh_keys           = [hcloud_ssh_key.admin.id]
  keep_disk          = true
  backups            = true
  placement_group_id = hcloud_placement_group.web.id
  labels             = merge(local.labels, { tier = "web" })
  user_data          = "#cloud-config\npackages: [nginx]\n"
  network {
    subnet_id = hcloud_network_subnet.web.id
    ip        = "10.0.1.${count.index + 10}"
    alias_ips = ["10.0.1.${count.index + 100}"]
  }
  lifecycle {
    ignore_changes = [ssh_keys, user_data, firewall_ids]
  }
}

resource "hcloud_server" "data" {
  name               = "data"
  server_type        = "cx33"
  image              = "ubuntu-24.04"
  location           = local.location
  ssh_keys           = [hcloud_ssh_key.admin.id]
  delete_protection  = var.protected
  rebuild_protection = var.protected
  labels             = local.labels
  public_net {
    ipv4_enabled = false
    ipv6_enabled = false
  }
  network {
    subnet_id = hcloud_network_subnet.data.id
    ip        = "10.0.2.10"
    alias_ips = []
  }
  lifecycle {
    ignore_changes = [ssh_keys, public_net, network]
  }
}

# ---- In front of the web servers

resource "hcloud_load_balancer" "web" {
  name               = "web"
  load_balancer_type = var.balancer_type
  location           = local.location
  delete_protection  = var.protected
  labels             = local.labels
}

resource "hcloud_load_balancer_network" "web" {
  load_balancer_id = hcloud_load_balancer.web.id
  subnet_id        = hcloud_network_subnet.web.id
  ip               = "10.0.1.3"
  lifecycle {
    # An imported one knows only its network.
    ignore_changes = [subnet_id]
  }
}

resource "hcloud_load_balancer_service" "web" {
  load_balancer_id = hcloud_load_balancer.web.id
  protocol         = "http"
  health_check {
    protocol = "http"
    port     = 80
    interval = 10
    timeout  = 5
    retries  = 3
    http {
      domain       = "www.${var.domain}"
      path         = "/"
      status_codes = ["2??"]
    }
  }
}

resource "hcloud_load_balancer_target" "web" {
  load_balancer_id = hcloud_load_balancer_network.web.load_balancer_id
  type             = "label_selector"
  label_selector   = "tier=web"
  use_private_ip   = true
}

resource "hcloud_rdns" "balancer" {
  load_balancer_id = hcloud_load_balancer.web.id
  ip_address       = hcloud_load_balancer.web.ipv4
  dns_ptr          = "www.${var.domain}"
}

# ---- Disks

resource "hcloud_volume" "data" {
  count    = 3
  name     = "data-${count.index}"
  size     = var.data_size
  location = local.location
  format   = "xfs"
  labels   = local.labels
  lifecycle {
    ignore_changes = [format]
  }
}

resource "hcloud_volume_attachment" "data" {
  count     = 3
  volume_id = hcloud_volume.data[count.index].id
  server_id = hcloud_server.data.id
}

resource "hcloud_snapshot" "web" {
  server_id   = hcloud_server.web[0].id
  description = "the first web server"
  labels      = local.labels
}

output "web" {
  value = hcloud_server.web[*].ipv4_address
}
