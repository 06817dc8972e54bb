/** Roots of certificate authorities, and the certificates of servers that they issue. All are in PEM. */
import { randomBytes, webcrypto } from 'node:crypto'
import type { PublicKeyType } from './x509-library.ts'
import { ecdsa, loadX509 } from './x509-writing.ts'

export interface Validity {
  readonly notBefore: Date
  readonly notAfter: Date
}

export interface RootOptions {
  /** The common name begins with this; random digits follow. */
  readonly name: string
  readonly validity: Validity
  /** Host names, lower-case: the root is trusted with them and what is below them, and with nothing else. */
  readonly onlyFor?: readonly string[]
}

export interface Root {
  readonly certificate: string
  readonly privateKey: webcrypto.CryptoKey
}

export interface Wanted {
  readonly publicKey: PublicKeyType
  readonly domains: readonly string[]
  readonly validity: Validity
}

/** Returns a positive number with as much randomness as browsers require. */
const serialNumber = () => `01${randomBytes(15).toString('hex')}`

/** Makes a new root, whose key can be exported. */
export async function makeRoot({ name, validity, onlyFor }: RootOptions): Promise<Root> {
  const x509 = await loadX509()
  const keys = await webcrypto.subtle.generateKey(ecdsa, true, ['sign', 'verify'])
  const constraints = onlyFor ? [new x509.Extension(x509.nameConstraintsId, true, await nameConstraints(onlyFor))] : []
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    keys,
    signingAlgorithm: ecdsa,
    serialNumber: serialNumber(),
    name: `CN=${name} ${randomBytes(4).toString('hex')}`,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...constraints,
    ],
  })
  return { certificate: pemOf(certificate), privateKey: keys.privateKey }
}

/** Issues a certificate that a server shows to its clients. */
export async function issue(root: Root, { publicKey, domains, validity }: Wanted): Promise<string> {
  const x509 = await loadX509()
  const issuer = new x509.X509Certificate(root.certificate)
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    issuer: issuer.subject,
    publicKey,
    signingKey: root.privateKey,
    signingAlgorithm: ecdsa,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      // The extension is critical because the subject is empty (RFC 5280, 4.2.1.6).
      new x509.SubjectAlternativeNameExtension(
        domains.map((value) => ({ type: 'dns' as const, value })),
        true,
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
    ],
  })
  return pemOf(certificate)
}

/** Tells whether a root is trusted with these host names and nothing else. */
export async function isOnlyFor(certificate: string, hosts: readonly string[]): Promise<boolean> {
  const x509 = await loadX509()
  const found = new x509.X509Certificate(certificate).getExtension(x509.nameConstraintsId)
  return found !== null && Buffer.from(found.value).equals(Buffer.from(await nameConstraints(hosts)))
}

/**
 * Encodes the limits of a root (RFC 5280, 4.2.1.10). Permitted host names say nothing about addresses, so that all of
 * these are excluded.
 */
async function nameConstraints(hosts: readonly string[]): Promise<ArrayBuffer> {
  const { AsnConvert, GeneralName, GeneralSubtree, GeneralSubtrees, NameConstraints } = await loadX509()
  const subtrees = (names: readonly InstanceType<typeof GeneralName>[]) =>
    new GeneralSubtrees(names.map((base) => new GeneralSubtree({ base })))
  return AsnConvert.serialize(
    new NameConstraints({
      permittedSubtrees: subtrees([...hosts].sort().map((dNSName) => new GeneralName({ dNSName }))),
      excludedSubtrees: subtrees(['0.0.0.0/0', '::/0'].map((iPAddress) => new GeneralName({ iPAddress }))),
    }),
  )
}

const pemOf = (certificate: { toString(format: 'pem'): string }) => `${certificate.toString('pem')}\n`
