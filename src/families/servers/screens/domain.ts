/** Where consoles are opened, and how long after they were asked for. */
import { wolkeBase } from '../../../kernel/contract/bases.ts'

export const consolePath = `${wolkeBase}/console`

export const sessionMs = 60_000
