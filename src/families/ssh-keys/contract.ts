/** SSH keys on the wire (facts: SSH keys). */
import { Type } from 'typebox'
import { defineEndpoints, Id, Labels, listing, Meta, Timestamp, textParam } from '../../kernel/contract/contract.ts'

export const SshKey = Type.Object({
  id: Id,
  name: Type.String(),
  fingerprint: Type.String(),
  public_key: Type.String(),
  labels: Labels,
  created: Timestamp,
})

const Name = Type.String({ minLength: 1, maxLength: 255 })
const Reply = Type.Object({ ssh_key: SshKey })
const section = 'SSH keys'

export const sshKeyEndpoints = defineEndpoints({
  list: {
    method: 'GET',
    path: '/ssh_keys',
    summary: 'List SSH keys',
    section,
    query: { ...listing(['id', 'name']), fingerprint: textParam('Exact fingerprint') },
    status: 200,
    reply: Type.Object({ ssh_keys: Type.Array(SshKey), meta: Meta }),
    errors: [],
  },
  create: {
    method: 'POST',
    path: '/ssh_keys',
    summary: 'Create an SSH key',
    section,
    body: Type.Object(
      { name: Name, public_key: Type.String({ minLength: 1, maxLength: 16_384 }), labels: Type.Optional(Labels) },
      { additionalProperties: false },
    ),
    status: 201,
    reply: Reply,
    errors: ['uniqueness_error', 'resource_limit_exceeded'],
  },
  get: {
    method: 'GET',
    path: '/ssh_keys/{id}',
    summary: 'Get an SSH key',
    section,
    status: 200,
    reply: Reply,
    errors: [],
  },
  update: {
    method: 'PUT',
    path: '/ssh_keys/{id}',
    summary: 'Change the name or the labels of an SSH key',
    section,
    body: Type.Object({ name: Type.Optional(Name), labels: Type.Optional(Labels) }, { additionalProperties: false }),
    status: 200,
    reply: Reply,
    errors: ['uniqueness_error', 'conflict'],
  },
  remove: { method: 'DELETE', path: '/ssh_keys/{id}', summary: 'Delete an SSH key', section, status: 204, errors: [] },
})
