/** From what was uploaded to what is known of it, without holding up anybody else. */
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

/** One thread for all: it starts when it is first needed. */
const thread = new SideThread<KeyPairReading, KeyPairResult>(program, { limitMs })

/** All limits that there are. */
export const strictest: Acceptance = { limitsSize: true, limitsKeys: true }

/** What a pair holds, or what is wrong with it. Errors: `Exhausted`; `unavailable` when many wait already. */
export async function readOnSideThread(keyPair: KeyPair, acceptance: Acceptance): Promise<KeyPairResult> {
  const [problem] = sizeProblems(keyPair, acceptance)
  return problem ? { ok: false, ...problem } : thread.run({ keyPair, acceptance })
}

/** Errors: 422 `invalid_input` that names `certificate` or `private_key`; `unavailable` when many wait already. */
export type KeyPairParser = (keyPair: KeyPair, nowMs: number) => Promise<CertificateFacts>

/** Makes a parser; its thread starts when it is first needed. */
export function openParser(): KeyPairParser {
  const thread = new SideThread<KeyPairReading, KeyPairResult>(program, { limitMs })
  return async (keyPair, nowMs) => {
    const acceptance = acceptanceAt(nowMs)
    const problems = sizeProblems(keyPair, acceptance)
    if (problems.length > 0) throw invalidInput(problems)
    const result = await thread.run({ keyPair, acceptance }).catch(refuseExhausted)
    if (!result.ok) throw invalidInput([{ field: result.field, message: result.message }])
    return result.facts
  }
}

function refuseExhausted(error: unknown): never {
  if (!(error instanceof Exhausted)) throw error
  // Nobody knows which of the two it was.
  throw invalidInput(['certificate', 'private_key'].map((field) => ({ field, message: 'takes too long to read' })))
}
