/** The sentence that says what a scope of a token grants. */
import type { ReplyFor } from '../../api/operations.ts'
import { familyName } from '../../lib/api-names.ts'
import { access } from '../../words/access.ts'
import { list } from '../../words/format.ts'

const w = access.tokens

export type Token = ReplyFor<'management_listTokens'>['tokens'][number]
export type Scope = NonNullable<Token['scope']>

export const generalVerbs = ['read', 'create', 'update', 'delete', 'actions'] as const
export type GeneralVerb = (typeof generalVerbs)[number]

const inOrder = (texts: readonly string[]) => list(texts, (count) => `+${count}`)

/** Returns what a scope grants, in a sentence; undefined when it limits nothing. */
export function grantsOf(scope: Scope | null): string | undefined {
  if (!scope || Object.keys(scope).length === 0) return undefined
  const words: Readonly<Record<string, string>> = w.verbWords
  const verbs = scope.verbs?.map((verb) => words[verb] ?? verb)
  const named = scope.families?.map(familyName)
  return w.grants(verbs && inOrder(verbs), named && inOrder(named), scope.label_selector)
}
