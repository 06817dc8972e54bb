/** Entries of `applied_to`: servers and label selectors that a firewall is applied to. Pure. */
import { canonical, parseSelector, type Selector, storedSelector } from '../../../kernel/contract/selectors.ts'
import { invalidInput, type Problem } from '../../../kernel/errors.ts'

/** An entry of `applied_to`. */
export interface Application {
  readonly id: number
  readonly firewallId: number
  readonly serverId: number | null
  readonly selector: string | null
}

/** All that a firewall is applied to, in texts that say it as a whole and are quickly compared. */
export interface Coverage {
  /** The id of the firewall. */
  readonly id: number
  /** Its entries, oldest first: the id of a server, or the negative one of an entry with a selector. */
  readonly targets: string
  /** The entries with a selector: JSON of pairs of an id and the selector. */
  readonly selectors: string
  /** The servers that selectors match, and for each of them the entry that counts as its own. */
  readonly servers: string
  readonly applications: string
}

export type Target = { readonly serverId: number } | { readonly selector: Selector }

interface GivenTarget {
  readonly type: 'server' | 'label_selector'
  readonly server?: { readonly id: number } | null
  readonly label_selector?: { readonly selector: string } | null
}

/** Reads `apply_to` or `remove_from`. Errors: `invalid_input`. */
export function parseTargets(given: readonly GivenTarget[], field: string): Target[] {
  const problems: Problem[] = []
  const targets = given.map((target, index): Target => {
    const refuse = (path: string, message: string): Target => {
      problems.push({ field: `${field}[${index}].${path}`, message })
      return { serverId: 0 }
    }
    if (target.type === 'server')
      return target.server ? { serverId: target.server.id } : refuse('server', 'is required')
    if (!target.label_selector) return refuse('label_selector', 'is required')
    const result = parseSelector(target.label_selector.selector)
    if (!result.ok) return refuse('label_selector.selector', result.message)
    if (result.selector.terms.length === 0) return refuse('label_selector.selector', 'must not be empty')
    return { selector: result.selector }
  })
  if (problems.length > 0) throw invalidInput(problems)
  return targets
}

/** What two targets of the same meaning have in common. */
export function keyOfTarget(target: Target): string {
  return 'serverId' in target ? `server:${target.serverId}` : `selector:${canonical(target.selector)}`
}

/** The key of the target that an application came from. */
export function keyOfApplication({ serverId, selector }: Application): string {
  if (serverId !== null) return `server:${serverId}`
  return `selector:${canonical(storedSelector(selector as string))}`
}

/** The servers that targets name. */
export function serversAmong(targets: readonly Target[]): number[] {
  return targets.flatMap((target) => ('serverId' in target ? [target.serverId] : []))
}

/** How a change of these targets locks the Project: as long as it judges selectors, no labels may change. */
export function modeFor(targets: readonly Target[]): 'share' | 'update' {
  return targets.some((target) => 'selector' in target) ? 'update' : 'share'
}
