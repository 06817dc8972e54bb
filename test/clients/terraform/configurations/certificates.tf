variable "name" { type = string }
variable "certificate" { type = string }
variable "private_key" { type = string }
variable "labels" { type = map(string) }

resource "hcloud_uploaded_certificate" "main" {
  name        = var.name
  certificate = var.certificate
  private_key = var.private_key
  labels      = merge(var.labels, { family = "certificates", version = var.name })
  lifecycle {
    create_before_destroy = true
    # It is told to nobody, so that an imported certificate has none.
    ignore_changes = [private_key]
  }
}

data "hcloud_certificate" "by_name" {
  name = hcloud_uploaded_certificate.main.name
}

data "hcloud_certificates" "labelled" {
  with_selector = "version=${var.name}"
  depends_on    = [hcloud_uploaded_certificate.main]
}

output "found" {
  value = {
    by_name  = tostring(data.hcloud_certificate.by_name.id)
    labelled = data.hcloud_certificates.labelled.certificates[*].fingerprint
  }
}

output "expected" {
  value = {
    by_name  = hcloud_uploaded_certificate.main.id
    labelled = [hcloud_uploaded_certificate.main.fingerprint]
  }
}
