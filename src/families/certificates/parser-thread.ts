/** The far end of the thread on which certificates are read; a program of its own in the bundle. */
import { serveThread } from '../../kernel/process/side-thread.ts'
import { readKeyPair } from './key-pair.ts'
import type { KeyPairReading } from './parser.ts'

serveThread(({ keyPair, acceptance }: KeyPairReading) => readKeyPair(keyPair, acceptance))
