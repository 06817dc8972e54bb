/** Placement groups as resources of Terraform. */
import { pick, resource, type Terraform } from '../../commands/terraform/resources.ts'

export const terraform: Terraform = {
  kindOf: () => 'placement_group',
  makers: {
    create: (body) => [resource('placement_group', body.name, pick(body, 'name', 'type', 'labels'))],
  },
}
