/** The scope of a token consists of families of the API, its verbs and commands, and a label selector. */
import { families } from '../families.ts'
import { commandOf, familyOf, generalVerbs, type ScopeText } from '../kernel/access/token-scope.ts'
import { canonical, parseSelector } from '../kernel/contract/selectors.ts'
import type { Problem } from '../kernel/errors.ts'
import { reachabilityEndpoints } from '../reachability/contract.ts'

const operations = families.flatMap(({ endpoints }) => Object.values(endpoints))

/** The families that a scope can grant. Actions of all families are read with what starts them. */
export const grantedFamilies: readonly string[] = [
  ...new Set([...operations, ...Object.values(reachabilityEndpoints)].map(familyOf)),
]
  .filter((family) => family !== 'actions')
  .sort()

/** The commands that a scope can grant one by one. */
export const commands: readonly string[] = [...new Set(operations.flatMap((one) => commandOf(one) ?? []))].sort()

export const verbs: readonly string[] = [...generalVerbs, ...commands]

/** A scope as somebody asks for it. */
interface GivenScope {
  readonly families?: readonly string[] | null | undefined
  readonly verbs?: readonly string[] | null | undefined
  readonly label_selector?: string | null | undefined
}

/** A scope in its normal form; null when it limits nothing. `at` is where problems are. */
export function readScope(
  { families: some, verbs: asked, label_selector }: GivenScope,
  at = 'scope',
): { readonly scope: ScopeText | null } | { readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const report = (field: string, message: string) => void problems.push({ field: `${at}.${field}`, message })
  for (const [field, given, known] of [
    ['families', some, grantedFamilies],
    ['verbs', asked, verbs],
  ] as const) {
    if (given?.length === 0) report(field, 'must not be empty: leave it out to grant everything')
    for (const one of given ?? [])
      if (!known.includes(one)) report(field, `there is no '${one}' in: ${known.join(', ')}`)
  }
  const selector = readSelector(label_selector, (message) => report('label_selector', message))
  if (problems.length > 0) return { problems }
  const scope = {
    ...(some ? { families: [...new Set(some)].sort() } : {}),
    ...(asked ? { verbs: verbs.filter((verb) => asked.includes(verb)) } : {}),
    ...(selector === undefined ? {} : { label_selector: selector }),
  }
  return { scope: Object.keys(scope).length === 0 ? null : scope }
}

function readSelector(text: string | null | undefined, report: (message: string) => void): string | undefined {
  if (text === undefined || text === null) return undefined
  const parsed = parseSelector(text)
  if (!parsed.ok) report(parsed.message)
  else if (parsed.selector.terms.length === 0) report('must not be empty: leave it out to grant everything')
  else return canonical(parsed.selector)
  return undefined
}

/** All that a scope grants, with nothing left to know. */
export function grantedBy(scope: ScopeText | null, isReadOnly: boolean) {
  const asked = scope?.verbs ?? generalVerbs
  const isGranted = (verb: string) => asked.includes(verb) || (asked.includes('actions') && commands.includes(verb))
  return {
    families: [...(scope?.families ?? grantedFamilies)],
    verbs: verbs.filter((verb) => verb !== 'actions' && isGranted(verb) && (!isReadOnly || verb === 'read')),
    label_selector: scope?.label_selector ?? null,
  }
}
