/** Words for the names of the API: families, types of resources, and commands of actions. */
import type { FamilyName } from '../api/operations.ts'
import type { Contracts } from '../generated/contracts.ts'
import type { places } from '../generated/operations.ts'
import type { Names } from './slice.ts'
import { inLanguage } from './words.ts'

type Named = FamilyName & keyof Contracts
type Held = Extract<(typeof places)[number], { readonly 4: string }>[2]

const words = await inLanguage({
  en: () => import('./en/names.ts'),
  de: () => import('./de/names.ts'),
})

export const { names } = words

/** Those of families with slices. One without names does not compile, nor one whose resources have none. */
export const slices: Readonly<Record<Named, Names> & Record<Held, Names & Required<Pick<Names, 'type'>>>> = words.slices
