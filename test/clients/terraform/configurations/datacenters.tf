data "hcloud_datacenters" "all" {}
