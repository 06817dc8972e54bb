/** Reads certificates and their private keys on side threads, so that reading one never blocks the event loop. */
import { SideThread } from '../../kernel/process/side-thread.ts'
import { type Acceptance, type KeyPair, sizeProblems } from './domain.ts'
import type { KeyPairResult } from './key-pair.ts'

export interface KeyPairReading {
  readonly keyPair: KeyPair
  readonly acceptance: Acceptance
}

/** How long reading one pair may take, in milliseconds. */
const limitMs = 500

/** The program of the thread lies beside this module, as source or as its own file of the bundle. */
const program = new URL(import.meta.url.endsWith('.ts') ? './parser-thread.ts' : './parser-thread.js', import.meta.url)

/** Errors: `Exhausted` when reading takes too long; `unavailable` when too many readings wait. */
export type KeyPairReader = (keyPair: KeyPair, acceptance: Acceptance) => Promise<KeyPairResult>

/**
 * Makes a reader with a thread of its own, which starts when it is first needed. Uploads and issued chains have separate
 * readers, so that hostile uploads do not hold up the issuance of certificates.
 */
export function openReader(): KeyPairReader {
  const thread = new SideThread<KeyPairReading, KeyPairResult>(program, { limitMs })
  return async (keyPair, acceptance) => {
    const [problem] = sizeProblems(keyPair, acceptance)
    return problem ? { ok: false, ...problem } : thread.run({ keyPair, acceptance })
  }
}
