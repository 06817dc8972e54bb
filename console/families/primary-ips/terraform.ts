/** Primary IPs as resources of Terraform. */
import { type Make, pick, resource, reverseName, type Terraform, texts } from '../../commands/terraform/resources.ts'

const primaryIp: Make = (body) => [
  resource('primary_ip', body.name, {
    ...pick(body, 'name', 'type'),
    ...texts(body, 'location'),
    assignee_id: body.assignee_id as number | undefined,
    assignee_type: body.assignee_id ? 'server' : undefined,
    // The provider has no default for it.
    auto_delete: (body.auto_delete ?? false) as boolean,
    ...pick(body, 'labels'),
  }),
]

export const terraform: Terraform = {
  kindOf: () => 'primary_ip',
  imports: { rdns: ({ primary_ip_id, ip_address }) => `p-${primary_ip_id}-${ip_address}` },
  makers: {
    create: primaryIp,
    changeDnsPtr: reverseName('primary_ip_id'),
    changeServerDnsPtr: reverseName('server_id'),
  },
}
