/** Messages of the server about inputs, and what is in the way. Those of families come first: they are more special. */
import type { Forms } from '../lib/messages.ts'
import type { Messages } from './slice.ts'
import { inLanguage } from './words.ts'

/** Messages may need a form in one language only. */
interface Loaded extends Messages {
  readonly slices: Readonly<Record<string, Messages>>
}

const words = await inLanguage<Loaded>({
  en: () => import('./en/named.ts'),
  de: () => import('./de/named.ts'),
})
const all: readonly Messages[] = [...Object.values(words.slices), words]

export const named: Forms = Object.assign({}, ...all.map((one) => one.named))
export const messages: Forms = Object.assign({}, ...all.map((one) => one.messages))
