/** Reads certificates and their keys on side threads, so that reading one never holds up the event loop. */
import { invalidInput } from '../../kernel/errors.ts'
import { Exhausted, SideThread } from '../../kernel/process/side-thread.ts'
import { type Acceptance, acceptanceAt, type CertificateFacts, type KeyPair, sizeProblems } from './domain.ts'
import type { KeyPairResult } from './key-pair.ts'

export interface KeyPairReading {
  readonly keyPair: KeyPair
  readonly acceptance: Acceptance
}

/** How long reading one pair may take, in milliseconds. */
const limitMs = 500

/** The thread's program lies beside this module: its source, or what the bundle made of it. */
const program = new URL(import.meta.url.endsWith('.ts') ? './parser-thread.ts' : './parser-thread.js', import.meta.url)

/** Every limit on size and kind. */
export const strictest: Acceptance = { limitsSize: true, limitsKeys: true }

/** Errors: `Exhausted`; `unavailable` when many wait already. */
export type KeyPairReader = (keyPair: KeyPair, acceptance: Acceptance) => Promise<KeyPairResult>

/**
 * Makes a reader with a thread of its own, which starts when it is first needed. Uploads and issued chains are read by
 * different readers, so that hostile uploads do not hold up the issuance of certificates.
 */
export function openReader(): KeyPairReader {
  const thread = new SideThread<KeyPairReading, KeyPairResult>(program, { limitMs })
  return async (keyPair, acceptance) => {
    const [problem] = sizeProblems(keyPair, acceptance)
    return problem ? { ok: false, ...problem } : thread.run({ keyPair, acceptance })
  }
}

/** Errors: 422 `invalid_input` that names `certificate` or `private_key`; `unavailable` when many wait already. */
export type KeyPairParser = (keyPair: KeyPair, nowMs: number) => Promise<CertificateFacts>

/** Makes a parser of uploads. */
export function openParser(): KeyPairParser {
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
  // The thread was killed while it read: it cannot say which of the two fields took too long.
  throw invalidInput(['certificate', 'private_key'].map((field) => ({ field, message: 'takes too long to read' })))
}
