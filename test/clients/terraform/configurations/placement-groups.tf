variable "name" { type = string }
variable "labels" { type = map(string) }

resource "hcloud_placement_group" "main" {
  name   = var.name
  type   = "spread"
  labels = merge(var.labels, { family = "placement-groups" })
}

resource "hcloud_server" "member" {
  count              = 2
  name               = "placed-${count.index}"
  server_type        = "cx23"
  image              = "debian-13"
  location           = "nbg1"
  placement_group_id = hcloud_placement_group.main.id
}

data "hcloud_placement_group" "by_name" {
  name = hcloud_placement_group.main.name
}

data "hcloud_placement_groups" "labelled" {
  with_selector = "family=placement-groups"
  depends_on    = [hcloud_server.member]
}

output "found" {
  value = {
    by_name  = tostring(data.hcloud_placement_group.by_name.id)
    labelled = sort(flatten(data.hcloud_placement_groups.labelled.placement_groups[*].servers))
  }
}

output "expected" {
  value = {
    by_name  = hcloud_placement_group.main.id
    labelled = sort(hcloud_server.member[*].id)
  }
}
