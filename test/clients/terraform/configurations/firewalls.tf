variable "ports" { type = list(string) }
variable "description" { type = string }
variable "attached_name" { type = string }

# The rules of one vary; it finds its server by a label.
resource "hcloud_firewall" "selected" {
  name   = "selected"
  labels = { family = "firewalls" }
  rule {
    direction  = "in"
    protocol   = "icmp"
    source_ips = ["0.0.0.0/0", "::/0"]
  }
  dynamic "rule" {
    for_each = var.ports
    content {
      direction   = "in"
      protocol    = "tcp"
      port        = rule.value
      source_ips  = ["10.0.0.0/8", "2001:db8:10::/48"]
      description = var.description
    }
  }
  rule {
    direction       = "out"
    protocol        = "udp"
    port            = "any"
    destination_ips = ["0.0.0.0/0", "::/0"]
  }
  apply_to {
    label_selector = "tier=front"
  }
}

resource "hcloud_firewall" "attached" {
  name = var.attached_name
}

resource "hcloud_firewall_attachment" "attached" {
  firewall_id = hcloud_firewall.attached.id
  server_ids  = [hcloud_server.front.id]
}

resource "hcloud_server" "front" {
  name        = "front"
  server_type = "cpx22"
  image       = "debian-12"
  location    = "hel1"
  labels      = { tier = "front" }
  lifecycle {
    ignore_changes = [firewall_ids]
  }
}

# One is there from the first start of its server.
resource "hcloud_firewall" "inline" {
  name = "inline"
}

resource "hcloud_server" "back" {
  name         = "back"
  server_type  = "cpx22"
  image        = "debian-12"
  location     = "hel1"
  firewall_ids = [hcloud_firewall.inline.id]
}

data "hcloud_firewall" "by_name" {
  name = hcloud_firewall.selected.name
}

data "hcloud_firewalls" "labelled" {
  with_selector = "family=firewalls"
  depends_on    = [hcloud_firewall.selected]
}

output "found" {
  value = {
    by_name  = tostring(data.hcloud_firewall.by_name.id)
    ports    = sort(compact(data.hcloud_firewall.by_name.rule[*].port))
    labelled = data.hcloud_firewalls.labelled.firewalls[*].name
  }
}

output "expected" {
  value = {
    by_name  = hcloud_firewall.selected.id
    ports    = sort(concat(var.ports, ["any"]))
    labelled = [hcloud_firewall.selected.name]
  }
}
