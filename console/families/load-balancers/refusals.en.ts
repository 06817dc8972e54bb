import type { FailureCode } from '../../api/failure.ts'

export const refusals = {
  cloud_resource_ip_not_allowed: 'This address belongs to a resource of the cloud. Add the resource itself.',
  invalid_load_balancer_type: 'This type is too small for what the Load Balancer has.',
  ip_not_owned: 'This address belongs to somebody else.',
  load_balancer_already_attached: 'The Load Balancer is attached to this network already.',
  load_balancer_not_attached_to_network: 'The Load Balancer is in no network. Attach it to one first.',
  load_balancer_public_interface_disabled: 'The Load Balancer has no public address, so it cannot reach this target.',
  load_balancer_target_not_found: 'The Load Balancer does not have this target.',
  missing_ipv4: 'The server has no public IPv4 address.',
  server_is_load_balancer_target: 'A Load Balancer sends to this server through the network. Change its targets first.',
  source_port_already_used: 'Another service listens on this port.',
  target_already_defined: 'The Load Balancer has this target already.',
  targets_without_use_private_ip: 'Some targets use public addresses. Change them first.',
} satisfies Partial<Record<FailureCode, string>>
