/** Reads a chain of certificates in the browser, for previews only. The server decides what it accepts. */

export interface ChainLink {
  readonly subject: string
  readonly issuer: string
  /** RFC 3339. */
  readonly from: string
  readonly until: string
  /** The DNS names that it is for; authorities have none. */
  readonly names: readonly string[]
  /** Such as `ECDSA P-256`; undefined where it is of another kind. */
  readonly key: string | undefined
  readonly der: Uint8Array
}

/** The links of a PEM text, or why it cannot be read. */
export type Chain = { readonly links: readonly ChainLink[] } | { readonly problem: 'noPem' | 'noCertificate' }

interface Element {
  readonly tag: number
  readonly content: Uint8Array
}

const oids = {
  commonName: '550403',
  organization: '55040a',
  alternativeNames: '551d11',
  rsa: '2a864886f70d010101',
  ecdsa: '2a8648ce3d0201',
} as const
const curves: Readonly<Record<string, string>> = {
  '2a8648ce3d030107': 'ECDSA P-256',
  '2b81040022': 'ECDSA P-384',
  '2b81040023': 'ECDSA P-521',
}
const dnsName = 0x82
const explicitVersion = 0xa0
const extensionsTag = 0xa3
const shortTime = 0x17

export function readChain(pem: string): Chain {
  const blocks = [...pem.matchAll(/-----BEGIN CERTIFICATE-----([A-Za-z\d+/=\s]+)-----END CERTIFICATE-----/g)]
  if (blocks.length === 0) return { problem: 'noPem' }
  try {
    return { links: blocks.map(([, body = '']) => readCertificate(bytesOf(body))) }
  } catch {
    return { problem: 'noCertificate' }
  }
}

/** The kind of a private key by its PEM label; undefined when there is none. */
export function privateKeyKind(pem: string): 'encrypted' | 'plain' | undefined {
  const label = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----/.exec(pem)?.[1]
  if (!label) return undefined
  return label.startsWith('ENCRYPTED') || /Proc-Type: 4,ENCRYPTED/.test(pem) ? 'encrypted' : 'plain'
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64.replaceAll(/\s/g, '')), (one) => one.charCodeAt(0))
}

function readCertificate(der: Uint8Array): ChainLink {
  const [signed] = partsOf(partsOf(der)[0]!.content)
  const all = partsOf(signed!.content)
  const [, , issuer, validity, subject, publicKey, ...more] = all[0]!.tag === explicitVersion ? all.slice(1) : all
  const [from, until] = partsOf(validity!.content)
  return {
    subject: nameOf(subject!),
    issuer: nameOf(issuer!),
    from: timeOf(from!),
    until: timeOf(until!),
    names: alternativeNames(more.find(({ tag }) => tag === extensionsTag)),
    key: keyOf(publicKey!),
    der,
  }
}

/** The elements of DER one after the other. Throws on what is none. */
function partsOf(bytes: Uint8Array): readonly Element[] {
  const parts: Element[] = []
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at]!
    let length = bytes[at + 1]!
    let start = at + 2
    if (length > 0x80) {
      const size = length - 0x80
      length = bytes.slice(start, start + size).reduce((sum, byte) => sum * 256 + byte, 0)
      start += size
    }
    if (!(start + length <= bytes.length)) throw new Error('an element is longer than its surroundings')
    parts.push({ tag, content: bytes.subarray(start, start + length) })
    at = start + length
  }
  return parts
}

const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** The common name, or else the organization. */
function nameOf({ content }: Element): string {
  const pairs = partsOf(content).flatMap((set) =>
    partsOf(set.content).map((pair) => {
      const [type, value] = partsOf(pair.content)
      return [hexOf(type!.content), textOf(value!.content)] as const
    }),
  )
  const find = (oid: string) => pairs.find(([type]) => type === oid)?.[1]
  return find(oids.commonName) ?? find(oids.organization) ?? ''
}

function timeOf({ tag, content }: Element): string {
  const text = textOf(content)
  const full = tag === shortTime ? `${text[0]! < '5' ? '20' : '19'}${text}` : text
  return full.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
}

function alternativeNames(extensions: Element | undefined): readonly string[] {
  if (!extensions) return []
  for (const { content } of partsOf(partsOf(extensions.content)[0]!.content)) {
    const parts = partsOf(content)
    if (hexOf(parts[0]!.content) !== oids.alternativeNames) continue
    const names = partsOf(partsOf(parts.at(-1)!.content)[0]!.content)
    return names.filter(({ tag }) => tag === dnsName).map((one) => textOf(one.content))
  }
  return []
}

function keyOf({ content }: Element): string | undefined {
  const [algorithm, bits] = partsOf(content)
  const [name, parameters] = partsOf(algorithm!.content)
  const oid = hexOf(name!.content)
  if (oid === oids.ecdsa) return parameters && curves[hexOf(parameters.content)]
  if (oid !== oids.rsa) return undefined
  // The first byte of the bits tells how many of the last ones do not count: none.
  const [modulus] = partsOf(partsOf(bits!.content.subarray(1))[0]!.content)
  return `RSA ${(modulus!.content[0] === 0 ? modulus!.content.length - 1 : modulus!.content.length) * 8}`
}
