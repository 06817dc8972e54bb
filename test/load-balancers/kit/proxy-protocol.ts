/** Reads the header of the PROXY protocol, versions 1 and 2, after its specification (proxy-protocol.txt of HAProxy). */
import { SocketAddress } from 'node:net'

export interface ProxyHeader {
  readonly version: 1 | 2
  /** Whether the connection is the proxy's own, such as that of a health check. */
  readonly isLocal: boolean
  /** Such as `192.0.2.1:80` and `[2001:db8::1]:80`; empty when they are not told. */
  readonly source: string
  readonly destination: string
  /** Where the header ends. */
  readonly length: number
}

const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex')
const longestText = 107

/** The header at the beginning of a connection; undefined while it is incomplete. Throws when it is none. */
export function readProxyHeader(bytes: Buffer): ProxyHeader | undefined {
  const beginning = bytes.subarray(0, signature.length)
  if (beginning.equals(signature)) return readBinary(bytes)
  if (beginning.equals(signature.subarray(0, beginning.length))) return undefined
  return readText(bytes)
}

function readBinary(bytes: Buffer): ProxyHeader | undefined {
  if (bytes.length < 16) return undefined
  const [versionAndCommand, family] = [bytes[12]!, bytes[13]!]
  if (versionAndCommand >> 4 !== 2) throw new Error(`version ${versionAndCommand >> 4} with the signature of 2`)
  const command = versionAndCommand & 0xf
  if (command > 1) throw new Error(`unknown command ${command}`)
  const length = 16 + bytes.readUInt16BE(14)
  if (bytes.length < length) return undefined
  if (command === 0) return { version: 2, isLocal: true, source: '', destination: '', length }
  return { version: 2, isLocal: false, ...addresses(family, bytes.subarray(16, length)), length }
}

function addresses(family: number, block: Buffer): { source: string; destination: string } {
  if (family !== 0x11 && family !== 0x21) throw new Error(`not TCP over IPv4 or IPv6: 0x${family.toString(16)}`)
  const size = family === 0x11 ? 4 : 16
  if (block.length < 2 * size + 4) throw new Error(`${block.length} bytes are too few for two addresses`)
  const show = (index: number) => {
    const address = block.subarray(index * size, (index + 1) * size)
    return joined(spelled(address), block.readUInt16BE(2 * size + 2 * index))
  }
  return { source: show(0), destination: show(1) }
}

function spelled(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16))
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address
}

export const joined = (address: string, port: number) =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`

function readText(bytes: Buffer): ProxyHeader | undefined {
  const end = bytes.indexOf('\r\n')
  if (end === -1 && bytes.length < longestText && 'PROXY '.startsWith(bytes.toString('latin1', 0, 6))) return undefined
  const line = bytes.toString('latin1', 0, Math.max(end, 0))
  if (end + 2 > longestText) throw new Error('the line is too long')
  if (line.startsWith('PROXY UNKNOWN')) {
    return { version: 1, isLocal: false, source: '', destination: '', length: end + 2 }
  }
  const [, source, destination, sourcePort, destinationPort] =
    /^PROXY TCP[46] ([\da-f.:]+) ([\da-f.:]+) (\d{1,5}) (\d{1,5})$/i.exec(line) ?? []
  if (!source || !destination) throw new Error(`no header of the PROXY protocol: ${bytes.toString('hex', 0, 32)}`)
  return {
    version: 1,
    isLocal: false,
    source: joined(source, Number(sourcePort)),
    destination: joined(destination, Number(destinationPort)),
    length: end + 2,
  }
}
