variable "name" { type = string }
variable "public_key" { type = string }
variable "labels" { type = map(string) }

resource "hcloud_ssh_key" "main" {
  name       = var.name
  public_key = var.public_key
  labels     = merge(var.labels, { family = "ssh-keys" })
}

data "hcloud_ssh_key" "by_id" {
  id = hcloud_ssh_key.main.id
}

data "hcloud_ssh_key" "by_name" {
  name = hcloud_ssh_key.main.name
}

data "hcloud_ssh_key" "by_fingerprint" {
  fingerprint = hcloud_ssh_key.main.fingerprint
}

data "hcloud_ssh_keys" "labelled" {
  with_selector = "family=ssh-keys"
  depends_on    = [hcloud_ssh_key.main]
}

output "found" {
  value = {
    by_id          = tostring(data.hcloud_ssh_key.by_id.id)
    by_name        = tostring(data.hcloud_ssh_key.by_name.id)
    by_fingerprint = tostring(data.hcloud_ssh_key.by_fingerprint.id)
    labelled       = data.hcloud_ssh_keys.labelled.ssh_keys[*].public_key
  }
}

output "expected" {
  value = {
    by_id          = hcloud_ssh_key.main.id
    by_name        = hcloud_ssh_key.main.id
    by_fingerprint = hcloud_ssh_key.main.id
    labelled       = [hcloud_ssh_key.main.public_key]
  }
}
