/** The program of the threads on which certificates are read; the bundle has it as a file of its own. */
import { serveThread } from '../../kernel/process/side-thread.ts'
import { readKeyPair } from './key-pair.ts'
import type { KeyPairReading } from './parser.ts'

serveThread(({ keyPair, acceptance }: KeyPairReading) => readKeyPair(keyPair, acceptance))
