/**
 * What certificates and private keys are made of, seen before any library computes with them: what takes long to compute
 * with (huge numbers, curves of one's own, passwords stretched a million times) is known by then.
 */
import { timestamp } from '../../kernel/process/clock.ts'
import { bitsOf, contentOf, type Der, NotDer, partsOf, readAll, tags } from '../../net/der.ts'
import type { Acceptance } from './domain.ts'

/** A kind of key with its size in bits, or why there is none. */
export type KeyKind = { readonly kind: 'RSA' | 'ECDSA'; readonly bits: number } | 'of another kind' | 'encrypted'

const rsa = '2a864886f70d010101'
const ecdsa = '2a8648ce3d0201'
const subjectAltName = '551d11'
const curves: Readonly<Record<string, number>> = {
  '2a8648ce3d030107': 256,
  '2b81040022': 384,
  '2b81040023': 521,
}
/** More than any key that was ever accepted has. */
const maxRsaBits = 8_192
const maxExponentBits = 32

/** Of the public key of a certificate in DER. Errors: `NotDer` when it is none. */
export function certificateKey(der: Buffer): KeyKind {
  const [algorithm, key] = partsOf(signedFields(der)[5])
  const bits = contentOf(key, tags.bits)
  const { name, parameters } = algorithmOf(algorithm)
  if (name === ecdsa) return curveOf(parameters)
  if (name !== rsa) return 'of another kind'
  const [modulus, exponent] = partsOf(readAll(bits.subarray(1))[0])
  if (bitsOf(exponent) > maxExponentBits) throw new NotDer()
  return { kind: 'RSA', bits: bitsOf(modulus) }
}

/** The serial number and what follows it. */
function signedFields(der: Buffer): Der[] {
  const [signed, ...signature] = partsOf(only(der))
  if (signature.length !== 2) throw new NotDer()
  const fields = partsOf(signed)
  // The version may be left out.
  return fields[0]?.tag === tags.first ? fields.slice(1) : fields
}

/** The DNS names among the alternative names of a certificate; undefined when it has none of any kind. */
export function alternativeNames(der: Buffer): string[] | undefined {
  const extensions = signedFields(der).find(({ tag }) => tag === tags.fourth)
  if (!extensions) return undefined
  for (const extension of partsOf(partsOf(extensions, tags.fourth)[0])) {
    const parts = partsOf(extension)
    if (contentOf(parts[0], tags.oid).toString('hex') !== subjectAltName) continue
    const names = partsOf(readAll(contentOf(parts.at(-1), tags.octets))[0])
    return names.filter(({ tag }) => tag === tags.dnsName).map(({ content }) => content.toString('latin1'))
  }
  return undefined
}

/** From when and until when a certificate is valid, as timestamps. Errors: `NotDer` for what is no time (RFC 5280, 4.1.2.5). */
export function validityOf(der: Buffer): { from: string; until: string } {
  const [from, until] = partsOf(signedFields(der)[3])
  return { from: timeOf(from), until: timeOf(until) }
}

function timeOf(element: Der | undefined): string {
  const text = element?.content.toString('latin1') ?? ''
  // The short form stands for the years from 1950 to 2049.
  const century = text[0]! < '5' ? '20' : '19'
  const full = element?.tag === tags.shortTime ? century + text : element?.tag === tags.time ? text : ''
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full) ?? []
  const [year, month, day, hour, minute, second] = parts
  const time = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`
  // A day that its month does not have would become one of the next month.
  const ms = Date.parse(time)
  if (Number.isNaN(ms) || timestamp(ms) !== time) throw new NotDer()
  return time
}

/** Of a private key in DER, in the form that its PEM label says. Errors: `NotDer` when it is none. */
export function privateKey(label: string, der: Buffer): KeyKind {
  if (label === 'RSA PRIVATE KEY') return rsaPrivateKey(der)
  if (label === 'EC PRIVATE KEY') return ecPrivateKey(der)
  const parts = partsOf(only(der))
  // An encrypted one begins with its algorithm instead of a version.
  if (parts[0]?.tag === tags.sequence) return 'encrypted'
  const { name, parameters } = algorithmOf(parts[1])
  const key = contentOf(parts[2], tags.octets)
  if (name === rsa) return rsaPrivateKey(key)
  return name === ecdsa ? ecPrivateKey(key, parameters) : 'of another kind'
}

/** The one element that fills the bytes. */
function only(der: Buffer): Der | undefined {
  const elements = readAll(der)
  return elements.length === 1 ? elements[0] : undefined
}

function algorithmOf(element: Der | undefined): { name: string; parameters: Der | undefined } {
  const [name, parameters] = partsOf(element)
  return { name: contentOf(name, tags.oid).toString('hex'), parameters }
}

/** A curve goes by its name; one that is spelled out may be anything. */
function curveOf(element: Der | undefined): KeyKind {
  const bits = element?.tag === tags.oid ? curves[element.content.toString('hex')] : undefined
  return bits === undefined ? 'of another kind' : { kind: 'ECDSA', bits }
}

/** Names its curve itself, unless what is around it does; if both do, its own counts. */
function ecPrivateKey(der: Buffer, around?: Der): KeyKind {
  const own = partsOf(only(der)).find(({ tag }) => tag === tags.first)
  return curveOf(own ? partsOf(own, tags.first)[0] : around)
}

/** Version, modulus, the two exponents, then five numbers of which none is larger than the modulus. */
function rsaPrivateKey(der: Buffer): KeyKind {
  const sizes = partsOf(only(der)).map((number) => bitsOf(number))
  const [version, modulus = 0, exponent = 0] = sizes
  if (sizes.length !== 9 || version !== 0 || exponent > maxExponentBits || Math.max(...sizes) > modulus) {
    throw new NotDer()
  }
  return { kind: 'RSA', bits: modulus }
}

/** Why a key is not accepted; undefined when it is. */
export function keyProblem(key: KeyKind, { limitsKeys }: Acceptance): string | undefined {
  if (key === 'encrypted') return 'is encrypted; send it without a passphrase'
  if (key === 'of another kind') return 'has a key that is neither RSA nor ECDSA on a curve that is accepted'
  const { kind, bits } = key
  const accepted = kind === 'RSA' ? acceptsRsa(bits, limitsKeys) : !limitsKeys || bits < 521
  if (accepted) return undefined
  const sizes = kind === 'RSA' ? '2048, 3072 or 4096' : '256 or 384'
  return `has an ${kind} key of ${bits} bits; ${sizes} are accepted`
}

function acceptsRsa(bits: number, limitsKeys: boolean): boolean {
  return limitsKeys ? [2_048, 3_072, 4_096].includes(bits) : bits >= 1_024 && bits <= maxRsaBits
}
