/** What scopes of tokens can limit, from the operations of the API, and what a scope grants in a sentence. */
import { operationIds, operationOf, type ReplyFor } from '../../api/operations.ts'
import { access } from '../../words/en/access.ts'
import { list } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'

const w = wordsOf('access', access).tokens

export type Token = ReplyFor<'management_listTokens'>['tokens'][number]
export type Scope = NonNullable<Token['scope']>

export const generalVerbs = ['read', 'create', 'update', 'delete', 'actions'] as const
export type GeneralVerb = (typeof generalVerbs)[number]

const rows = operationIds.map(operationOf).filter(({ base }) => base === '')

/** The families of the API, by the first part of their paths. */
export const families: readonly string[] = [...new Set(rows.map(({ path }) => path.split('/')[1] ?? ''))]
  .filter((family) => family !== 'actions')
  .sort()

/** The commands of the API: the names of actions. */
export const commands: ReadonlySet<string> = new Set(
  rows.flatMap(({ method, path }) => (method === 'POST' ? (/\/actions\/(\w+)$/.exec(path)?.[1] ?? []) : [])),
)

const inOrder = (texts: readonly string[]) => list(texts, (count) => `+${count}`)

/** What a scope grants, in a sentence; undefined when it limits nothing. */
export function grantsOf(scope: Scope | null): string | undefined {
  if (!scope || Object.keys(scope).length === 0) return undefined
  const words: Readonly<Record<string, string>> = w.verbWords
  const verbs = scope.verbs?.map((verb) => words[verb] ?? verb)
  const named = scope.families?.map((family) => family.replaceAll('_', ' '))
  return w.grants(verbs && inOrder(verbs), named && inOrder(named), scope.label_selector)
}
