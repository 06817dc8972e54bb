/** Clients are offered the ciphers that this machine is fast at. */
import type { Connection } from 'ssh2'

/** These are computed by OpenSSL at the speed of the processor; ChaCha20 would be computed by WebAssembly here. */
const fast = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com'] as const
export const ciphers = [...fast, 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'] as const

interface List {
  readonly buffer: Buffer
}
type Direction = Readonly<Record<'cipher' | 'mac' | 'compress' | 'lang', List>>

/** The library is about to offer this. */
interface Offer {
  readonly lists: { readonly kex: List; readonly serverHostKey: List; readonly cs: Direction; readonly sc: Direction }
}

/** Versions of OpenSSH that have AES-GCM: 6.2 and later. */
const hasFast = /^OpenSSH_(6\.[2-9]|[7-9]\.|\d\d)/

/** Addresses that are known to want none of the fast ones; those that came first are forgotten first. */
const mostAddresses = 10_000
const others = new Set<string>()

/** Notes that a client of an address found nothing in common, so that it is offered everything when it comes again. */
export function noteMismatch(address: string): void {
  if (others.size >= mostAddresses) others.delete(others.values().next().value!)
  others.add(address)
}

/**
 * Offers AES-GCM alone to a client that is known to have it. The choice is the client's, and OpenSSH prefers AES-CTR with a
 * hash beside it, which takes both sides longer. Only between the client's version and the answer to it is this possible.
 */
export function offerFastest(connection: Connection, software: string, address: string): void {
  const { _protocol: protocol } = connection as Connection & { readonly _protocol?: { _offer?: Offer } }
  const offer = protocol?._offer
  if (!protocol || !offer || !hasFast.test(software) || others.has(address)) return
  const { kex, serverHostKey, cs } = offer.lists
  const direction = { cipher: [...fast], mac: cs.mac.buffer, compress: cs.compress.buffer, lang: [] }
  const Make = offer.constructor as new (lists: object) => Offer
  protocol._offer = new Make({ kex: kex.buffer, serverHostKey: serverHostKey.buffer, cs: direction, sc: direction })
}
