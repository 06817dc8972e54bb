/** Conversion between addresses and the bytes in A and AAAA records. */
import { parseAddress } from '../ip.ts'

/** The bytes of a valid address. */
export function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const before = groups(head)
  const after = groups(tail ?? '')
  const all = [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after]
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}

/** The canonical text of an address of 4 or 16 bytes. */
export function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.')
  const parsed = parseAddress(bytes.toString('hex').match(/..../g)!.join(':'))
  return parsed.ok ? parsed.address : ''
}
