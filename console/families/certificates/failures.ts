import type { Failures } from '../../lib/messages.ts'
import { certificates as w } from './words.ts'

export const failures: Failures = { named: w.named, causes: w.causes }
