/** The fields that all kinds of public addresses have on the wire. */
import { Type } from 'typebox'
import { closedObject, nullable, type Param, textParam } from '../../kernel/contract/contract.ts'
import { parseAddress } from '../../protocols/net/ip.ts'

export const IpType = Type.Enum(['ipv4', 'ipv6'])

export const ReverseNames = Type.Array(Type.Object({ ip: Type.String(), dns_ptr: Type.String() }))

const text = textParam('Exact address, or network; a network is found by its first address too')

/** A filter for addresses by any of their spellings. Clients look for a network by its address without the mask. */
export const addressParam: Param<readonly string[] | undefined> = {
  ...text,
  parse(texts, nowMs) {
    const given = text.parse(texts, nowMs)
    if (given === undefined) return undefined
    const [address = '', mask] = given.split('/')
    const parsed = parseAddress(address)
    if (!parsed.ok) return [given]
    if (mask !== undefined) return [`${parsed.address}/${mask}`]
    return [parsed.address, ...(parsed.family === 6 ? [`${parsed.address}/64`] : [])]
  },
}

/** The body of `change_dns_ptr`. */
export const ReverseNameChange = closedObject({
  ip: Type.String({ maxLength: 64 }),
  dns_ptr: Type.Optional(
    nullable(Type.String({ maxLength: 1_024, description: 'A host name of at most 253 characters' })),
  ),
})
