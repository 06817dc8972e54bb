/**
 * The certificate authority of an installation that has no other: one root of its own, which who wants to trust it can
 * download. It asks for no proof beyond the checks that come before, and issues at once.
 */
import { randomBytes, webcrypto } from 'node:crypto'
import type { AuthorityDriver } from '../../families/certificates/driver.ts'
import { DriverError } from '../../kernel/actions/define.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { ecdsa, loadX509 } from '../../net/x509-writing.ts'

export interface EmbeddedCaOptions {
  readonly clock: Clock
  /** The name by which CAA records mean it. */
  readonly identity: string
  /** Keeps the root with its key, so that it is the same for all processes: what `make` gave the first time. */
  keep(make: () => Promise<string>): Promise<string>
}

interface Root {
  readonly certificate: string
  readonly privateKey: webcrypto.CryptoKey
}

const lifetimeMs = 90 * 86_400_000
/** Clocks of clients may be slow. */
const backdatedMs = 3_600_000
/** The root is valid whatever time the clock was set to. */
const rootValidity = { notBefore: new Date('2000-01-01T00:00:00Z'), notAfter: new Date('2099-12-31T00:00:00Z') }

/** Positive, with as much chance in it as browsers ask for. */
const serialNumber = () => `01${randomBytes(15).toString('hex')}`

/** Makes the authority; its root is made, or read, when it is first needed. */
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
      // Critical, because there is no other name (RFC 5280, 4.2.1.6).
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
