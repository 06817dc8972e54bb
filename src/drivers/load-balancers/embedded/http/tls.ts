/** The certificates of a service, and which of them serves a name. */
import { X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { BalancerCertificate } from '../../../../families/load-balancers/driver.ts'

interface Served {
  readonly context: SecureContext
  readonly names: readonly string[]
}

export class Certificates {
  /** Undefined when there is none. */
  readonly first: BalancerCertificate | undefined
  readonly #served: readonly Served[]

  /** Errors: those of chains and keys that are none, or that do not fit. */
  constructor(certificates: readonly BalancerCertificate[]) {
    this.first = certificates[0]
    this.#served = certificates.map(({ chain, privateKey }) => ({
      context: createSecureContext({ cert: chain, key: privateKey }),
      names: namesOf(new X509Certificate(chain)),
    }))
  }

  /** The certificate of exactly this name, or of all names beside it, or else the first one. */
  contextFor(servername: string): SecureContext | undefined {
    const name = servername.toLowerCase()
    const wildcard = name.replace(/^[^.]+/, '*')
    const having = (wanted: string) => this.#served.find(({ names }) => names.includes(wanted))
    return (having(name) ?? having(wildcard) ?? this.#served[0])?.context
  }
}

/** The names of DNS, or the common name of a certificate that has none. */
function namesOf({ subjectAltName, subject }: X509Certificate): string[] {
  const names = [...(subjectAltName ?? '').matchAll(/(?:^|, )DNS:([^,]+)/g)].map(([, name]) => name!.toLowerCase())
  const [, commonName] = /^CN=(.+)$/m.exec(subject ?? '') ?? []
  return names.length > 0 || commonName === undefined ? names : [commonName.toLowerCase()]
}
