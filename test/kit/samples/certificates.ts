/** Generates valid and invalid certificates byte by byte, because libraries do not write what must be refused. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

// ---- DER -----------------------------------------------------------------------------------------------------------

/** Encodes one element. */
export function der(tag: number, ...contents: (Buffer | string)[]): Buffer {
  const content = Buffer.concat(contents.map((part) => (typeof part === 'string' ? Buffer.from(part, 'hex') : part)))
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

export const sequence = (...parts: (Buffer | string)[]) => der(0x30, ...parts)
/** An integer, given in hexadecimal. */
export const integer = (hex: string) => der(0x02, hex)
const bitString = (...parts: Buffer[]) => der(0x03, '00', ...parts)

const oids = {
  rsa: '06092a864886f70d010101',
  sha256WithRsa: sequence('06092a864886f70d01010b', '0500'),
  sha256WithEcdsa: sequence('06082a8648ce3d040302'),
  commonName: '0603550403',
  alternativeNames: '0603551d11',
  keyUsage: '0603551d0f',
  basicConstraints: '0603551d13',
}

// ---- PEM -----------------------------------------------------------------------------------------------------------

export function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

/** A private key in the usual form, PKCS #8. */
export const keyPem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string

// ---- Certificates --------------------------------------------------------------------------------------------------

export interface Party {
  readonly name: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** A subject or issuer with its own key. */
export function party(name: string, namedCurve = 'P-256'): Party {
  return { name, ...generateKeyPairSync('ec', { namedCurve }) }
}

export function rsaParty(name: string, modulusLength: number): Party {
  return { name, ...generateKeyPairSync('rsa', { modulusLength }) }
}

const nameOf = (name: string) =>
  name === '' ? sequence() : sequence(der(0x31, sequence(oids.commonName, der(0x0c, Buffer.from(name)))))

const extension = (oid: string, value: Buffer) => sequence(oid, der(0x04, value))
const validity = sequence(der(0x17, Buffer.from('260101000000Z')), der(0x17, Buffer.from('360101000000Z')))

export interface Contents {
  /** DNS names; the first is the common name unless `commonName` is given. Empty means no alternative names. */
  readonly domains?: readonly string[]
  readonly isAuthority?: boolean
  /** Further alternative names, encoded. */
  readonly others?: readonly Buffer[]
  /** Replaces the public key, for certificates that no authority would sign. */
  readonly publicKey?: Buffer
  readonly validity?: Buffer
}

/** A certificate in DER for `subject`'s key, signed by `issuer`. */
export function certify(subject: Party, issuer: Party, contents: Contents = {}): Buffer {
  const { domains = [], others = [], isAuthority = false } = contents
  const names = [...domains.map((domain) => der(0x82, Buffer.from(domain))), ...others]
  const extensions = [
    ...(names.length > 0 ? [extension(oids.alternativeNames, sequence(...names))] : []),
    ...(isAuthority ? [extension(oids.basicConstraints, sequence('0101ff'))] : []),
    extension(oids.keyUsage, isAuthority ? der(0x03, '0204') : der(0x03, '0780')),
  ]
  const algorithm = issuer.privateKey.asymmetricKeyType === 'rsa' ? oids.sha256WithRsa : oids.sha256WithEcdsa
  const signed = sequence(
    der(0xa0, integer('02')),
    integer(`01${randomBytes(8).toString('hex')}`),
    algorithm,
    nameOf(issuer.name),
    contents.validity ?? validity,
    nameOf(subject.name),
    contents.publicKey ?? (subject.publicKey.export({ type: 'spki', format: 'der' }) as Buffer),
    der(0xa3, sequence(...extensions)),
  )
  return sequence(signed, algorithm, bitString(sign('sha256', signed, issuer.privateKey)))
}

/** An RSA public key with arbitrary numbers. */
export function rsaPublicKey(modulusBits: number, exponent: string): Buffer {
  const modulus = randomBytes(modulusBits / 8)
  modulus[0]! |= 0x80
  modulus[modulus.length - 1]! |= 1
  const numbers = sequence(integer(`00${modulus.toString('hex')}`), integer(exponent))
  return sequence(sequence(oids.rsa, '0500'), bitString(numbers))
}

/** An RSA private key with nine numbers, each given in hexadecimal. */
export const rsaPrivateKey = (numbers: readonly string[]) => sequence(...numbers.map(integer))

export interface Upload {
  readonly certificate: string
  readonly private_key: string
}

/** A certificate signed by its own key for some domains, with the key, ready to upload. */
export function selfSigned(...domains: string[]): Upload {
  const self = party(domains[0] ?? 'localhost')
  return { certificate: pem('CERTIFICATE', certify(self, self, { domains })), private_key: keyPem(self.privateKey) }
}

/** A chain of `length` certificates, leaf first and ending with a self-signed one. */
export function chain(length: number, leaf = party('www.example.com')): Upload & { readonly certificates: string[] } {
  const parties = [leaf, ...Array.from({ length: length - 1 }, (_, index) => party(`authority ${index + 1}`))]
  const certificates = parties.map((subject, index) =>
    pem(
      'CERTIFICATE',
      certify(subject, parties[index + 1] ?? subject, index === 0 ? { domains: [leaf.name] } : { isAuthority: true }),
    ),
  )
  return { certificates, certificate: certificates.join(''), private_key: keyPem(leaf.privateKey) }
}
