/** SSH keys on the wire (spec: SSH key, SSH keys). */
import { Type } from 'typebox'
import {
  closedObject,
  defineEndpoints,
  Id,
  Labels,
  named,
  Timestamp,
  textParam,
} from '../../kernel/contract/contract.ts'
import { resourceEndpoints } from '../../kernel/resource/endpoints.ts'
import { maxPublicKey } from './public-key.ts'

export const spelling = {
  type: 'ssh_key',
  path: 'ssh_keys',
  title: 'SSH key',
  titles: 'SSH keys',
  sortable: ['id', 'name'],
} as const

export const SshKey = named('SshKey', {
  id: Id,
  name: Type.String(),
  fingerprint: Type.String(),
  public_key: Type.String(),
  labels: Labels,
  created: Timestamp,
})

const Name = Type.String({ minLength: 1, maxLength: 255 })
export const PublicKey = Type.String({ minLength: 1, maxLength: maxPublicKey })

export const sshKeyEndpoints = defineEndpoints(
  resourceEndpoints(spelling, SshKey, {
    needs: 'restricted',
    section: 'SSH keys',
    filters: { fingerprint: textParam('Exact fingerprint') },
    create: { body: closedObject({ name: Name, public_key: PublicKey, labels: Type.Optional(Labels) }) },
    update: { body: closedObject({ name: Type.Optional(Name), labels: Type.Optional(Labels) }) },
  }),
)
