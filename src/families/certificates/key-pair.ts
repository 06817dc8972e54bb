/**
 * Reads a certificate chain and its private key, and says in words what is wrong with them. Cheap checks come first, and
 * no library gets bytes that were not checked before. Reading may still take long, so it runs on a side thread.
 */
import { createPrivateKey, type KeyObject, randomBytes, sign, verify, X509Certificate } from 'node:crypto'
import { NotDer } from '../../protocols/net/der.ts'
import { type PemBlock, pemBlocks, pemBytes } from '../../protocols/net/pem.ts'
import { alternativeNames, certificateKey, type KeyKind, privateKey, validityOf } from '../../protocols/net/x509.ts'
import {
  type Acceptance,
  type CertificateFacts,
  type KeyPair,
  type KeyPairProblem,
  keyProblem,
  maxCertificates,
} from './domain.ts'

export type KeyPairResult =
  | { readonly ok: true; readonly facts: CertificateFacts }
  | ({ readonly ok: false } & KeyPairProblem)

class Unacceptable extends Error {
  readonly problem: KeyPairProblem

  constructor(field: KeyPairProblem['field'], message: string, isLimit?: true) {
    super(message)
    this.problem = { field, message, ...(isLimit ? { isLimit } : {}) }
  }
}

/** The facts of the leaf, or the first problem of the chain or the private key. */
export function readKeyPair(given: KeyPair, acceptance: Acceptance): KeyPairResult {
  try {
    const chain = readChain(given.certificate, acceptance)
    const key = readPrivateKey(given.privateKey, acceptance)
    checkBelongs(key, chain[0]!)
    return { ok: true, facts: factsOf(chain[0]!) }
  } catch (error) {
    if (error instanceof Unacceptable) return { ok: false, ...error.problem }
    throw error
  }
}

/** What `read` returns. Whatever it throws becomes a problem with this message. */
function readable<T>(field: KeyPairProblem['field'], message: string, read: () => T): T {
  try {
    return read()
  } catch {
    throw new Unacceptable(field, message)
  }
}

// ---- The chain -----------------------------------------------------------------------------------------------------

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth']
const nameOf = (index: number) => `the ${ordinals[index] ?? `${index + 1}th`} certificate`

function readChain(text: string, acceptance: Acceptance): X509Certificate[] {
  const refuse = (message: string) => new Unacceptable('certificate', message)
  const blocks = pemBlocks(text)
  if (!blocks || blocks.length === 0) throw refuse('holds no complete PEM block')
  const other = blocks.find(({ label }) => label !== 'CERTIFICATE')
  if (other) throw refuse(`holds ${shown(other)}; only certificates are accepted`)
  if (acceptance.limitsSize && blocks.length > maxCertificates) {
    throw new Unacceptable('certificate', `a chain cannot have more than ${maxCertificates} certificates`, true)
  }
  const ders = blocks.map((block, index) => {
    const der = pemBytes(block)
    if (!der) throw refuse(`${nameOf(index)} is not valid base64`)
    const problem = keyProblem(
      kindOf('certificate', nameOf(index), () => certificateKey(der)),
      acceptance,
    )
    if (problem) throw refuse(`${nameOf(index)} ${problem}`)
    return der
  })
  const chain = ders.map((der, index) =>
    readable('certificate', `${nameOf(index)} cannot be read`, () => new X509Certificate(der)),
  )
  checkOrder(chain)
  return chain
}

/** Labels come from the request, so only known ones are echoed. */
function shown({ label }: PemBlock): string {
  return /^(RSA |EC |ENCRYPTED )?PRIVATE KEY$/.test(label) ? 'a private key' : 'something else than a certificate'
}

function kindOf(field: KeyPairProblem['field'], name: string, read: () => KeyKind): KeyKind {
  try {
    return read()
  } catch (error) {
    if (error instanceof NotDer) throw new Unacceptable(field, `${name} cannot be read`)
    throw error
  }
}

/** Each certificate must certify the one before it (spec: Certificate). */
function checkOrder(chain: readonly X509Certificate[]): void {
  for (const [index, issuer] of chain.entries()) {
    const subject = chain[index - 1]
    if (!subject) continue
    const message = `${nameOf(index)} does not certify ${nameOf(index - 1)}`
    const certifies = readable(
      'certificate',
      message,
      () => subject.checkIssued(issuer) && subject.verify(issuer.publicKey),
    )
    if (!certifies) throw new Unacceptable('certificate', message)
  }
}

// ---- The private key -----------------------------------------------------------------------------------------------

/** The encoding of the key by its PEM label. */
const forms: Readonly<Record<string, 'pkcs8' | 'pkcs1' | 'sec1'>> = {
  'PRIVATE KEY': 'pkcs8',
  'RSA PRIVATE KEY': 'pkcs1',
  'EC PRIVATE KEY': 'sec1',
}

function readPrivateKey(text: string, acceptance: Acceptance): KeyObject {
  const refuse = (message: string) => new Unacceptable('private_key', message)
  // Programs that write EC keys put a block with the name of the curve before them.
  const blocks = pemBlocks(text)?.filter(({ label }) => label !== 'EC PARAMETERS')
  const [block, ...more] = blocks ?? []
  if (!block || more.length > 0) throw refuse('must hold exactly one private key in PEM')
  if (block.label === 'ENCRYPTED PRIVATE KEY' || block.body.includes('Proc-Type:')) {
    throw refuse(keyProblem('encrypted', acceptance)!)
  }
  const form = forms[block.label]
  if (!form) throw refuse('holds something else than a private key')
  const der = pemBytes(block)
  if (!der) throw refuse('is not valid base64')
  const problem = keyProblem(
    kindOf('private_key', 'the key', () => privateKey(block.label, der)),
    acceptance,
  )
  if (problem) throw refuse(problem)
  return readable('private_key', 'the key cannot be read', () =>
    createPrivateKey({ key: der, format: 'der', type: form }),
  )
}

/** Matching public parts prove nothing about a damaged private key, so the key has to sign as well. */
function checkBelongs(key: KeyObject, leaf: X509Certificate): void {
  const [other, damaged] = ['does not belong to the first certificate', 'is damaged: it does not sign']
  if (!readable('private_key', other, () => leaf.checkPrivateKey(key))) throw new Unacceptable('private_key', other)
  const probe = randomBytes(32)
  const signs = readable('private_key', damaged, () =>
    verify('sha256', probe, leaf.publicKey, sign('sha256', probe, key)),
  )
  if (!signs) throw new Unacceptable('private_key', damaged)
}

// ---- The facts of the leaf -----------------------------------------------------------------------------------------

function factsOf(leaf: X509Certificate): CertificateFacts {
  return readable('certificate', `${nameOf(0)} cannot be read`, () => {
    const { from, until } = validityOf(leaf.raw)
    return { domainNames: namesIn(leaf), fingerprint: leaf.fingerprint256, notValidBefore: from, notValidAfter: until }
  })
}

/** The DNS names among the alternative names, or the common name of a certificate without alternative names. */
function namesIn(leaf: X509Certificate): string[] {
  const names = alternativeNames(leaf.raw) ?? [leaf.toLegacyObject().subject?.CN ?? []].flat()
  return [...new Set(names)]
}
