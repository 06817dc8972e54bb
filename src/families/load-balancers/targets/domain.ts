/** Targets of Load Balancers: servers, label selectors and addresses outside of the cloud. Pure. */
import { canonical, parseSelector, type Selector, storedSelector } from '../../../kernel/contract/selectors.ts'
import { invalidInput, type Problem } from '../../../kernel/errors.ts'
import { cidrContains, parseAddress } from '../../../protocols/net/ip.ts'
import { privateUse } from '../../../protocols/net/private-networks.ts'

export const targetTypes = ['server', 'label_selector', 'ip'] as const

/** A target that is being removed is there again when that fails. */
export type TargetStatus = 'adding' | 'ok' | 'removing'

/** What traffic goes to, as a request names it. */
export type Destination = { readonly serverId: number } | { readonly selector: Selector } | { readonly ip: string }

export interface NewTarget {
  readonly to: Destination
  readonly usesPrivateIp: boolean
}

/** A target as it was named. */
export interface Target {
  readonly id: number
  readonly balancerId: number
  readonly serverId: number | null
  readonly selector: string | null
  readonly ip: string | null
  readonly usesPrivateIp: boolean
  readonly status: TargetStatus
}

/** A target with the servers that it stands for: many, if it has a selector. */
export interface ResolvedTarget extends Target {
  /** Servers that its selector matches, by id. */
  readonly matched: readonly number[]
}

interface GivenTarget {
  readonly type: (typeof targetTypes)[number]
  readonly server?: { readonly id: number } | null | undefined
  readonly label_selector?: { readonly selector: string } | null | undefined
  readonly ip?: { readonly ip: string } | null | undefined
  readonly use_private_ip?: boolean | null | undefined
}

/** Reads a target; `at` is where the request has it, such as `targets[0].`. Errors: `invalid_input`. */
export function readTarget(given: GivenTarget, at = ''): NewTarget {
  const problems: Problem[] = targetTypes
    .filter((type) => type !== given.type && given[type] != null)
    .map((type) => ({ field: `${at}${type}`, message: `must not be given for the type ${given.type}` }))
  const to = readDestination(given)
  if ('message' in to) problems.push({ field: `${at}${to.field}`, message: to.message })
  if (problems.length > 0 || 'message' in to) throw invalidInput(problems)
  return { to, usesPrivateIp: given.use_private_ip ?? false }
}

function readDestination({ type, server, label_selector, ip }: GivenTarget): Destination | Problem {
  if (type === 'server') return server ? { serverId: server.id } : { field: 'server', message: 'is required' }
  if (type === 'ip') return ip ? readIp(ip.ip) : { field: 'ip', message: 'is required' }
  if (!label_selector) return { field: 'label_selector', message: 'is required' }
  const result = parseSelector(label_selector.selector)
  if (!result.ok) return { field: 'label_selector.selector', message: result.message }
  if (result.selector.terms.length === 0) return { field: 'label_selector.selector', message: 'must not be empty' }
  return { selector: result.selector }
}

function readIp(text: string): Destination | Problem {
  const parsed = parseAddress(text)
  return parsed.ok ? { ip: parsed.address } : { field: 'ip.ip', message: parsed.message }
}

/** What two destinations of the same meaning have in common. */
export function keyOf(to: Destination): string {
  if ('serverId' in to) return `server:${to.serverId}`
  return 'ip' in to ? `ip:${to.ip}` : `selector:${canonical(to.selector)}`
}

/** The key of the destination that a target came from. */
export function keyOfTarget({ serverId, selector, ip }: Target): string {
  if (serverId !== null) return `server:${serverId}`
  return ip === null ? `selector:${canonical(storedSelector(selector as string))}` : `ip:${ip}`
}

/** Whether an address is one that only private networks lead to. */
export const isPrivateAddress = (ip: string): boolean => privateUse.some((range) => cidrContains(range, ip))

/** Whether the traffic of a target goes through the network of the Load Balancer. */
export const goesPrivate = ({ ip, usesPrivateIp }: Pick<Target, 'ip' | 'usesPrivateIp'>): boolean =>
  ip === null ? usesPrivateIp : isPrivateAddress(ip)

/** The servers that some targets stand for, each once. */
export function serversBehind(targets: readonly ResolvedTarget[]): number[] {
  return [...new Set(targets.flatMap(({ serverId, matched }) => (serverId === null ? matched : [serverId])))]
}
