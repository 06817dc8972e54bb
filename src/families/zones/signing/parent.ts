/** The DS records that a parent has of a zone. Pure. */
import { createHash } from 'node:crypto'
import { dsData } from '../../../protocols/net/dns/dnskeys.ts'
import { nameOf } from '../../../protocols/net/dns/names.ts'
import { printRdata } from '../../../protocols/net/dns/rdata.ts'
import { partsAt, type SigningStep } from './domain.ts'

/** A zone with its keys, the oldest first. */
interface WithKeys {
  readonly name: string
  readonly step: SigningStep
  readonly keys: readonly { readonly dnskey: string }[]
}

/** The DS record that the parent of a zone is to have, as text; undefined for none. */
export function wantedDs({ name, step, keys }: WithKeys): string | undefined {
  if (keys.length === 0) return undefined
  const { announced } = partsAt(step, keys)
  if (announced === undefined || announced === 'none') return undefined
  return printRdata('DS', dsData(nameOf(name), Buffer.from(announced.dnskey, 'base64')))
}

const digestNames = new Map([
  [1, 'sha1'],
  [2, 'sha256'],
  [4, 'sha384'],
])

/** Those of some keys to which a DS record leads. A key has the data of its DNSKEY record in base64. */
export function keysLedTo<Key extends { readonly dnskey: string }>(
  zone: string,
  keys: readonly Key[],
  records: readonly Buffer[],
): Key[] {
  const owner = Buffer.from(nameOf(zone), 'latin1')
  return keys.filter(({ dnskey }) =>
    records.some((data) => {
      const digest = digestNames.get(data[3] ?? 0)
      if (digest === undefined) return false
      return createHash(digest).update(owner).update(Buffer.from(dnskey, 'base64')).digest().equals(data.subarray(4))
    }),
  )
}
