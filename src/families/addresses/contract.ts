/** What all kinds of public addresses have in common on the wire. */
import { Type } from 'typebox'
import { closedObject, nullable } from '../../kernel/contract/contract.ts'

export const IpType = Type.Enum(['ipv4', 'ipv6'])

export const ReverseNames = Type.Array(Type.Object({ ip: Type.String(), dns_ptr: Type.String() }))

/** The body of `change_dns_ptr`. */
export const ReverseNameChange = closedObject({
  ip: Type.String({ maxLength: 64 }),
  dns_ptr: Type.Optional(
    nullable(Type.String({ maxLength: 1_024, description: 'A host name of at most 253 characters' })),
  ),
})
