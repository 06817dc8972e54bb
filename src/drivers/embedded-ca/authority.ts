/**
 * The certificate authority of an installation without an external one: it has one root, which clients can download and
 * trust, issues at once, and requires no proof beyond the checks that precede an order.
 */
import { webcrypto } from 'node:crypto'
import type { AuthorityDriver } from '../../families/certificates/managed/driver.ts'
import { DriverError } from '../../kernel/actions/define.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { issue, makeRoot, type Root } from '../../protocols/net/x509-issuing.ts'
import { ecdsa, loadX509 } from '../../protocols/net/x509-writing.ts'

export interface EmbeddedCaOptions {
  readonly clock: Clock
  /** The name of the authority in CAA records. */
  readonly identity: string
  /** Returns the root with its key, which all processes share; the first call stores what `make` returns. */
  keep(make: () => Promise<string>): Promise<string>
}

const lifetimeMs = 90 * 86_400_000
/** Certificates are valid from an hour before they are issued, because clocks of clients may be slow. */
const backdatedMs = 3_600_000
/** The root is valid at any time that the clock may be set to. */
const rootValidity = { notBefore: new Date('2000-01-01T00:00:00Z'), notAfter: new Date('2099-12-31T00:00:00Z') }

/** Creates the authority; its root is created, or read, when it is first needed. */
export function embeddedCa({ clock, identity, keep }: EmbeddedCaOptions): AuthorityDriver {
  let opening: Promise<Root> | undefined
  const openRoot = () => {
    opening ??= keep(newRoot)
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

async function newRoot(): Promise<string> {
  const { certificate, privateKey } = await makeRoot({ name: 'Wolke root', validity: rootValidity })
  return JSON.stringify({ certificate, jwk: await webcrypto.subtle.exportKey('jwk', privateKey) })
}

async function readRoot(kept: string): Promise<Root> {
  const { certificate, jwk } = JSON.parse(kept) as { certificate: string; jwk: webcrypto.JsonWebKey }
  return { certificate, privateKey: await webcrypto.subtle.importKey('jwk', jwk, ecdsa, false, ['sign']) }
}

interface Ordered {
  readonly domains: readonly string[]
  readonly request: Buffer
  readonly nowMs: number
}

async function certify(root: Root, { domains, request: der, nowMs }: Ordered): Promise<string> {
  const x509 = await loadX509()
  const request = new x509.Pkcs10CertificateRequest(der)
  if (!(await request.verify())) throw new DriverError('the request is not signed by its key', { transient: false })
  const validity = { notBefore: new Date(nowMs - backdatedMs), notAfter: new Date(nowMs + lifetimeMs) }
  return issue(root, { publicKey: request.publicKey, domains, validity })
}
