import type { FailureCode } from '../../api/failure.ts'

export const refusals = {
  incompatible_network_type: 'It does not fit the kind of this network.',
  ip_not_available: 'This address is taken. Choose another one.',
  ip_not_in_vswitch_subnet: 'This address is not in the subnet of the vSwitch.',
  network_has_no_vswitch_subnet: 'The network has no subnet of a vSwitch.',
  networks_overlap: 'The server is in a network with the same addresses.',
  no_subnet_available: 'The network has no subnet with a free address there. Add a subnet.',
  server_not_attached_to_network: 'The server is not in this network.',
  vswitch_id_already_used: 'Another network has this vSwitch.',
} satisfies Partial<Record<FailureCode, string>>
