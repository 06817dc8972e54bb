/** Floating IPs as resources of Terraform. */
import {
  type Make,
  numberOf,
  pick,
  resource,
  reverseName,
  type Terraform,
  texts,
} from '../../commands/terraform/resources.ts'

const floatingIp: Make = (body) => [
  resource('floating_ip', body.name, {
    ...pick(body, 'name', 'type'),
    ...texts(body, 'home_location'),
    server_id: body.server as number | undefined,
    ...pick(body, 'description', 'labels'),
  }),
]

export const terraform: Terraform = {
  kindOf: () => 'floating_ip',
  imports: { rdns: ({ floating_ip_id, ip_address }) => `f-${floating_ip_id}-${ip_address}` },
  makers: {
    create: floatingIp,
    assign: (body, { id }) => [
      resource('floating_ip_assignment', '', { floating_ip_id: numberOf(id), server_id: body.server as number }),
    ],
    changeDnsPtr: reverseName('floating_ip_id'),
  },
}
