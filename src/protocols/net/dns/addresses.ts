/** Conversion between addresses and the bytes in A and AAAA records. */
import { bytesOfAddress, textOfAddress } from '../address-bytes.ts'

/** The bytes of a valid address. Throws RangeError for what is none. */
export function addressBytes(address: string): Buffer {
  const bytes = bytesOfAddress(address)
  if (!bytes) throw new RangeError(`'${address.slice(0, 64)}' is not an ip address`)
  return Buffer.from(bytes.buffer)
}

/** The canonical text of an address of 4 or 16 bytes. */
export const addressText: (bytes: Buffer) => string = textOfAddress
