/** What an SSH public key is and how it is told apart from others. Pure. */
import { createHash } from 'node:crypto'
import type { Labels } from '../../kernel/contract/labels.ts'
import { readPublicKey } from './public-key.ts'

export interface SshKey {
  readonly id: number
  readonly name: string
  /** MD5 of the key blob, 16 lower-case hex pairs joined by colons. */
  readonly fingerprint: string
  /** As it was given, byte for byte. */
  readonly publicKey: string
  readonly labels: Labels
  readonly created: string
  readonly version: number
}

export type PublicKeyResult = { ok: true; fingerprint: string } | { ok: false; message: string }

/** Reads a public key as {@link readPublicKey} does, and tells its fingerprint. */
export function parsePublicKey(text: string): PublicKeyResult {
  const read = readPublicKey(text)
  if (!read.ok) return read
  const digest = createHash('md5').update(read.blob).digest('hex')
  return { ok: true, fingerprint: digest.replace(/..(?=.)/g, '$&:') }
}
