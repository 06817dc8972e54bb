/**
 * The families of the public API that clients may ask for although this installation does not have them, by path, with
 * what a refusal calls them. A family that exists here is never refused, so that no entry has to go when one comes.
 */
export const publicFamilies: Readonly<Record<string, string>> = {
  isos: 'ISOs',
  load_balancer_types: 'Load Balancer types',
  load_balancers: 'Load Balancers',
  networks: 'networks',
  placement_groups: 'placement groups',
  pricing: 'price list',
  primary_ips: 'Primary IPs',
  storage_box_types: 'Storage Box types',
  storage_boxes: 'Storage Boxes',
  volumes: 'volumes',
}
