/**
 * Fields of X.509 certificates (RFC 5280) and private keys, read before any library computes with them. Content that would
 * take long to compute with (huge numbers, explicit curves, passwords stretched a million times) is found out here.
 */
import { bitsOf, contentOf, type Der, NotDer, partsOf, readAll, tags } from './der.ts'

/** The kind of a key with its size in bits, or why neither is known. */
export type KeyKind = { readonly kind: 'RSA' | 'ECDSA'; readonly bits: number } | 'of another kind' | 'encrypted'

const rsa = '2a864886f70d010101'
const ecdsa = '2a8648ce3d0201'
const subjectAltName = '551d11'
const curves: Readonly<Record<string, number>> = {
  '2a8648ce3d030107': 256,
  '2b81040022': 384,
  '2b81040023': 521,
}
const maxExponentBits = 32

/** Kind and size of a certificate's public key. Throws `NotDer` when `der` is not a certificate. */
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

/** The fields of the signed part, from the serial number on. */
function signedFields(der: Buffer): Der[] {
  const [signed, ...signature] = partsOf(only(der))
  if (signature.length !== 2) throw new NotDer()
  const fields = partsOf(signed)
  // The version may be left out.
  return fields[0]?.tag === tags.first ? fields.slice(1) : fields
}

/** The DNS names among a certificate's alternative names; undefined when it has no alternative names of any kind. */
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

/**
 * The bounds of a certificate's validity in RFC 3339, in UTC with whole seconds. Throws `NotDer` when one is not a time
 * (RFC 5280, 4.1.2.5).
 */
export function validityOf(der: Buffer): { from: string; until: string } {
  const [from, until] = partsOf(signedFields(der)[3])
  return { from: timeOf(from), until: timeOf(until) }
}

function timeOf(element: Der | undefined): string {
  const text = element?.content.toString('latin1') ?? ''
  // The short form has two digits for the years from 1950 to 2049.
  const century = text[0]! < '5' ? '20' : '19'
  const full = element?.tag === tags.shortTime ? century + text : element?.tag === tags.time ? text : ''
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full) ?? []
  const [year, month, day, hour, minute, second] = parts
  const time = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const ms = Date.parse(`${time}Z`)
  // Date.parse takes the 31st of a shorter month for a day of the next month.
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== `${time}.000Z`) throw new NotDer()
  return `${time}Z`
}

/** Kind and size of a private key in the encoding that its PEM label names. Throws `NotDer` when `der` is not such a key. */
export function privateKey(label: string, der: Buffer): KeyKind {
  if (label === 'RSA PRIVATE KEY') return rsaPrivateKey(der)
  if (label === 'EC PRIVATE KEY') return ecPrivateKey(der)
  const parts = partsOf(only(der))
  // An encrypted key begins with its algorithm instead of a version.
  if (parts[0]?.tag === tags.sequence) return 'encrypted'
  const { name, parameters } = algorithmOf(parts[1])
  const key = contentOf(parts[2], tags.octets)
  if (name === rsa) return rsaPrivateKey(key)
  return name === ecdsa ? ecPrivateKey(key, parameters) : 'of another kind'
}

/** The only element of the bytes; undefined when there are several or none. */
function only(der: Buffer): Der | undefined {
  const elements = readAll(der)
  return elements.length === 1 ? elements[0] : undefined
}

function algorithmOf(element: Der | undefined): { name: string; parameters: Der | undefined } {
  const [name, parameters] = partsOf(element)
  return { name: contentOf(name, tags.oid).toString('hex'), parameters }
}

/** Only named curves count: explicit parameters could describe any curve. */
function curveOf(element: Der | undefined): KeyKind {
  const bits = element?.tag === tags.oid ? curves[element.content.toString('hex')] : undefined
  return bits === undefined ? 'of another kind' : { kind: 'ECDSA', bits }
}

/** The key names its curve itself or leaves that to the structure around it; its own name comes first. */
function ecPrivateKey(der: Buffer, around?: Der): KeyKind {
  const own = partsOf(only(der)).find(({ tag }) => tag === tags.first)
  return curveOf(own ? partsOf(own, tags.first)[0] : around)
}

/** A key holds a version, the modulus, two exponents and five more numbers, none of them larger than the modulus. */
function rsaPrivateKey(der: Buffer): KeyKind {
  const sizes = partsOf(only(der)).map((number) => bitsOf(number))
  const [version, modulus = 0, exponent = 0] = sizes
  if (sizes.length !== 9 || version !== 0 || exponent > maxExponentBits || Math.max(...sizes) > modulus) {
    throw new NotDer()
  }
  return { kind: 'RSA', bits: modulus }
}
