variable "ttl" { type = number }
variable "address" { type = string }
variable "comment" { type = string }
variable "protected" { type = bool }

resource "hcloud_zone" "main" {
  name              = "example.com"
  mode              = "primary"
  ttl               = var.ttl
  delete_protection = var.protected
  labels            = { family = "zones" }
}

resource "hcloud_zone_rrset" "www" {
  zone    = hcloud_zone.main.name
  name    = "www"
  type    = "A"
  ttl     = var.ttl
  records = [{ value = var.address, comment = var.comment }, { value = "192.0.2.200" }]
}

# Values are compared as they were written: other spellings of the same data would be changed at every apply.
resource "hcloud_zone_rrset" "spelled" {
  for_each = {
    AAAA  = "2001:DB8:1:2::0"
    CAA   = "0 issue ca.example"
    MX    = "10  Mail.Example.NET."
    TXT   = "\"v=spf1 -all\"  \"more\""
    CNAME = "www"
  }
  zone    = hcloud_zone.main.name
  name    = lower("spelled-${each.key}")
  type    = each.key
  records = [{ value = each.value }]
}

# Records of one RRSet that is not there yet are made at the same time.
resource "hcloud_zone_record" "shared" {
  for_each = toset(["198.51.100.1", "198.51.100.2", "198.51.100.3"])
  zone     = hcloud_zone.main.name
  name     = "shared"
  type     = "A"
  value    = each.value
  comment  = var.comment
}

resource "hcloud_zone" "copy" {
  name                = "other.example"
  mode                = "secondary"
  ttl                 = var.ttl
  primary_nameservers = [{ address = "203.0.113.1", port = var.ttl }]
}

resource "hcloud_managed_certificate" "all" {
  name         = "all"
  domain_names = ["*.${hcloud_zone.main.name}", hcloud_zone.main.name]
  labels       = { ttl = "${var.ttl}" }
}

data "hcloud_zone" "by_name" {
  name = hcloud_zone.main.name
}

data "hcloud_zones" "labelled" {
  with_selector = "family=zones"
  depends_on    = [hcloud_zone.main]
}

data "hcloud_zone_rrset" "shared" {
  zone       = hcloud_zone.main.name
  name       = "shared"
  type       = "A"
  depends_on = [hcloud_zone_record.shared]
}

data "hcloud_zone_rrsets" "all" {
  zone       = hcloud_zone.main.name
  depends_on = [hcloud_zone_rrset.www, hcloud_zone_record.shared]
}

output "found" {
  value = {
    by_name  = data.hcloud_zone.by_name.ttl
    labelled = data.hcloud_zones.labelled.zones[*].name
    shared   = sort(data.hcloud_zone_rrset.shared.records[*].value)
    all      = sort([for rrset in data.hcloud_zone_rrsets.all.rrsets : rrset.id if rrset.type == "A"])
  }
}

output "expected" {
  value = {
    by_name  = var.ttl
    labelled = [hcloud_zone.main.name]
    shared   = sort([for record in hcloud_zone_record.shared : record.value])
    all      = ["shared/A", "www/A"]
  }
}
