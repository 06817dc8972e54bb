/**
 * The certificate authority of an installation without an external one: it has one root, which clients can download and
 * trust, issues at once, and requires no proof beyond the checks that precede an order.
 */
import { randomBytes, webcrypto } from 'node:crypto'
import type { AuthorityDriver } from '../../families/certificates/managed/driver.ts'
import { DriverError } from '../../kernel/actions/define.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { ecdsa, loadX509 } from '../../protocols/net/x509-writing.ts'

export interface EmbeddedCaOptions {
  readonly clock: Clock
  /** The name of the authority in CAA records. */
  readonly identity: string
  /** Returns the root with its key, which all processes share; the first call stores what `make` returns. */
  keep(make: () => Promise<string>): Promise<string>
}

interface Root {
  readonly certificate: string
  readonly privateKey: webcrypto.CryptoKey
}

const lifetimeMs = 90 * 86_400_000
/** Certificates are valid from an hour before they are issued, because clocks of clients may be slow. */
const backdatedMs = 3_600_000
/** The root is valid at any time that the clock may be set to. */
const rootValidity = { notBefore: new Date('2000-01-01T00:00:00Z'), notAfter: new Date('2099-12-31T00:00:00Z') }

/** A positive number with as much randomness as browsers require. */
const serialNumber = () => `01${randomBytes(15).toString('hex')}`

/** Creates the authority; its root is created, or read, when it is first needed. */
export function embeddedCa({ clock, identity, keep }: EmbeddedCaOptions): AuthorityDriver {
  let opening: Promise<Root> | undefined
  const openRoot = () => {
    opening ??= keep(makeRoot)
      .then(readRoot)
      .catch((error: unknown) => {
        opening = undefined
        throw error
      })
    return opening
  }
  return {
    caaIdentities: async () => [identity],
    order: async ({ certificateId }) => ({ url: `embedded:${certificateId}`, challenges: [] }),
    validate: async () => undefined,
    issue: async ({ domains }, request) => certify(await openRoot(), { domains, request, nowMs: clock.now() }),
    root: async () => (await openRoot()).certificate,
  }
}

async function makeRoot(): Promise<string> {
  const x509 = await loadX509()
  const keys = await webcrypto.subtle.generateKey(ecdsa, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    keys,
    signingAlgorithm: ecdsa,
    serialNumber: serialNumber(),
    name: `CN=Wolke root ${randomBytes(4).toString('hex')}`,
    ...rootValidity,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const jwk = await webcrypto.subtle.exportKey('jwk', keys.privateKey)
  return JSON.stringify({ certificate: `${certificate.toString('pem')}\n`, jwk })
}

async function readRoot(kept: string): Promise<Root> {
  const { certificate, jwk } = JSON.parse(kept) as { certificate: string; jwk: webcrypto.JsonWebKey }
  return { certificate, privateKey: await webcrypto.subtle.importKey('jwk', jwk, ecdsa, false, ['sign']) }
}

interface Wanted {
  readonly domains: readonly string[]
  readonly request: Buffer
  readonly nowMs: number
}

async function certify(root: Root, { domains, request: der, nowMs }: Wanted): Promise<string> {
  const x509 = await loadX509()
  const issuer = new x509.X509Certificate(root.certificate)
  const request = new x509.Pkcs10CertificateRequest(der)
  if (!(await request.verify())) throw new DriverError('the request is not signed by its key', { transient: false })
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    issuer: issuer.subject,
    publicKey: request.publicKey,
    signingKey: root.privateKey,
    signingAlgorithm: ecdsa,
    notBefore: new Date(nowMs - backdatedMs),
    notAfter: new Date(nowMs + lifetimeMs),
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
      await x509.SubjectKeyIdentifierExtension.create(request.publicKey),
    ],
  })
  return `${certificate.toString('pem')}\n`
}
