/** Everything that hangs on a server, in the order in which rows of it are locked. Adding one is one line here. */
import { firewallAttachment } from '../firewalls/attachment.ts'
import { floatingIpAttachment } from '../floating-ips/attachment.ts'
import { backupAttachment } from '../images/attachment.ts'
import { loadBalancerAttachment } from '../load-balancers/attachment.ts'
import { networkAttachment } from '../networks/attachment.ts'
import { primaryIpAttachment } from '../primary-ips/attachment.ts'
import { volumeAttachment } from '../volumes/attachment.ts'
import type { Attachment } from './attachment.ts'
import { placementGroupAttachment } from './placement-groups/attachment.ts'

export const attachments: readonly Attachment[] = [
  backupAttachment,
  placementGroupAttachment,
  primaryIpAttachment,
  floatingIpAttachment,
  volumeAttachment,
  firewallAttachment,
  networkAttachment,
  loadBalancerAttachment,
]
