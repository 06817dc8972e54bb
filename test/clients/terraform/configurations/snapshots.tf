variable "description" { type = string }
variable "labels" { type = map(string) }

resource "hcloud_server" "template" {
  name        = "template"
  server_type = "cx23"
  image       = "debian-13"
  location    = "hel1"
}

resource "hcloud_snapshot" "main" {
  server_id   = hcloud_server.template.id
  description = var.description
  labels      = merge(var.labels, { family = "snapshots" })
}

data "hcloud_image" "newest" {
  with_selector = "family=snapshots"
  most_recent   = true
  depends_on    = [hcloud_snapshot.main]
}

resource "hcloud_server" "copy" {
  name        = "copy"
  server_type = "cx23"
  image       = hcloud_snapshot.main.id
  location    = "hel1"
}

output "found" {
  value = {
    newest = data.hcloud_image.newest.description
  }
}

output "expected" {
  value = {
    newest = var.description
  }
}
