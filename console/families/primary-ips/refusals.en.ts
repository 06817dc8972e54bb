import type { FailureCode } from '../../api/failure.ts'

export const refusals = {
  primary_ip_already_assigned: 'The Primary IP is assigned already.',
  primary_ip_assigned: 'The Primary IP is assigned. Unassign it first.',
  primary_ip_datacenter_mismatch: 'The Primary IP is in another location.',
  primary_ip_location_mismatch: 'The Primary IP is in another location.',
  primary_ip_version_mismatch: 'The Primary IP is of the other version of the protocol.',
  server_has_ipv4: 'The server has a public IPv4 address already.',
  server_has_ipv6: 'The server has a public IPv6 address already.',
} satisfies Partial<Record<FailureCode, string>>
