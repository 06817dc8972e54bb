/** SSH keys as resources of Terraform. */
import { pick, resource, type Terraform } from '../../commands/terraform/resources.ts'

export const terraform: Terraform = {
  kindOf: () => 'ssh_key',
  makers: {
    create: (body) => [resource('ssh_key', body.name, pick(body, 'name', 'public_key', 'labels'))],
  },
}
