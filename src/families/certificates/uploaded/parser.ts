/** Reads uploaded certificates and says which field is wrong. */
import { invalidInput } from '../../../kernel/errors.ts'
import { Exhausted } from '../../../kernel/process/side-thread.ts'
import { acceptanceAt, type CertificateFacts, type KeyPair, sizeProblems } from '../domain.ts'
import { openReader } from '../parser.ts'

/** Errors: 422 `invalid_input` that names `certificate` or `private_key`; `unavailable` when too many uploads wait. */
export type UploadParser = (keyPair: KeyPair, nowMs: number) => Promise<CertificateFacts>

/** Makes a parser of uploads. */
export function openParser(): UploadParser {
  const read = openReader()
  return async (keyPair, nowMs) => {
    const acceptance = acceptanceAt(nowMs)
    const problems = sizeProblems(keyPair, acceptance)
    if (problems.length > 0) throw invalidInput(problems)
    const result = await read(keyPair, acceptance).catch(refuseExhausted)
    if (!result.ok) throw invalidInput([{ field: result.field, message: result.message }])
    return result.facts
  }
}

function refuseExhausted(error: unknown): never {
  if (!(error instanceof Exhausted)) throw error
  // The thread was killed while it read, so nobody knows which of the two fields took too long.
  throw invalidInput(['certificate', 'private_key'].map((field) => ({ field, message: 'takes too long to read' })))
}
