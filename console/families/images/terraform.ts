/** Snapshots as resources of Terraform. */
import type { Terraform } from '../../commands/terraform/resources.ts'

export const terraform: Terraform = {
  kindOf: (type) => (type === 'snapshot' ? type : undefined),
  unread: ['protection'],
  makers: {},
}
