/** Certificates are uploaded: they are read, and exist at once. */
import type { Calls } from '../../../kernel/contract/contract.ts'
import { invalidInput } from '../../../kernel/errors.ts'
import { Exhausted } from '../../../kernel/process/side-thread.ts'
import { adding } from '../../../kernel/resource/work.ts'
import type { Platform } from '../../../platform.ts'
import type { certificateEndpoints } from '../contract.ts'
import { acceptanceAt, type CertificateFacts, type KeyPair, sizeProblems } from '../domain.ts'
import { openReader } from '../parser.ts'
import { certificates } from '../store.ts'
import { certificateToWire } from '../view.ts'
import { insertUploaded } from './store.ts'

type Call = Calls<typeof certificateEndpoints>

/** Makes a certificate of what was uploaded. Errors: those that the contract declares. */
export async function create(platform: Platform, parse: UploadParser, { scope, body }: Call['create']) {
  const { clock, secrets } = platform
  const { name, labels = {} } = body
  const keyPair = keyPairOf(body)
  const facts = await parse(keyPair, clock.now())
  return adding(platform, certificates, scope, async (tx) => {
    const certificate = await insertUploaded(tx, secrets, scope, { name, labels, facts, ...keyPair })
    return { added: certificate, reply: { certificate: certificateToWire(certificate), action: null } }
  })
}

/** The key pair of an upload. Errors: `invalid_input` for each field that is missing or out of place. */
function keyPairOf({ certificate, private_key: privateKey, domain_names }: Call['create']['body']): KeyPair {
  if (certificate !== undefined && privateKey !== undefined && domain_names === undefined) {
    return { certificate, privateKey }
  }
  throw invalidInput([
    ...(certificate === undefined ? [{ field: 'certificate', message: 'is required' }] : []),
    ...(privateKey === undefined ? [{ field: 'private_key', message: 'is required' }] : []),
    ...(domain_names === undefined ? [] : [{ field: 'domain_names', message: 'is for managed certificates only' }]),
  ])
}

/** Errors: 422 `invalid_input` that names `certificate` or `private_key`; `unavailable` when too many uploads wait. */
type UploadParser = (keyPair: KeyPair, nowMs: number) => Promise<CertificateFacts>

/** Makes a parser of uploads. */
export function openParser(): UploadParser {
  const read = openReader()
  return async (keyPair, nowMs) => {
    const acceptance = acceptanceAt(nowMs)
    const problems = sizeProblems(keyPair, acceptance)
    if (problems.length > 0) throw invalidInput(problems)
    const result = await read(keyPair, acceptance).catch(refuseExhausted)
    if (!result.ok) throw invalidInput([result])
    return result.facts
  }
}

function refuseExhausted(error: unknown): never {
  if (!(error instanceof Exhausted)) throw error
  // The thread was killed while it read, so nobody knows which of the two fields took too long.
  throw invalidInput(['certificate', 'private_key'].map((field) => ({ field, message: 'takes too long to read' })))
}
