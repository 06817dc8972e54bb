/** Reverse DNS names of public addresses, by the same rules for every kind of address. Pure (spec: Floating IPs). */
import { inEffect } from '../../kernel/contract/changes.ts'
import { invalidInput } from '../../kernel/errors.ts'
import type { DefaultNames } from '../../protocols/net/default-names.ts'
import { isDnsName } from '../../protocols/net/hostnames.ts'
import { cidrContains, parseAddress } from '../../protocols/net/ip.ts'
import { addressChanges } from './changes.ts'

export interface ReverseName {
  readonly ip: string
  readonly name: string
}

/** An IPv4 address, or an IPv6 /64 network, with the names given to addresses in it. */
export interface NamedAddress {
  readonly type: 'ipv4' | 'ipv6'
  readonly ip: string
  readonly reverseNames: readonly ReverseName[]
}

/** The body of `change_dns_ptr`. */
export interface ReverseNameChange {
  readonly ip: string
  /** Null for the default name. */
  readonly dns_ptr?: string | null | undefined
}

/** The names that an address has until somebody gives it others: one for IPv4, none for an IPv6 network. */
export function defaultReverseNames(
  { type, ip }: Omit<NamedAddress, 'reverseNames'>,
  defaults: DefaultNames,
): ReverseName[] {
  const name = type === 'ipv4' ? defaults.nameOf(ip) : undefined
  return name === undefined ? [] : [{ ip, name }]
}

/**
 * The names after `change_dns_ptr` set one, or with null put it back to its default. `ip` must be the IPv4 address itself
 * or any address of the IPv6 network. Errors: `invalid_input` for `ip` or `dns_ptr`.
 */
export function withReverseName(
  address: NamedAddress,
  change: ReverseNameChange,
  { defaults, nowMs }: { readonly defaults: DefaultNames; readonly nowMs: number },
): ReverseName[] {
  if (change.dns_ptr === undefined && inEffect(addressChanges.dns_ptr_required, nowMs)) {
    throw invalidInput([{ field: 'dns_ptr', message: 'is required' }])
  }
  const ip = ownAddress(address, change.ip)
  const name = change.dns_ptr == null ? null : checkedName(change.dns_ptr, nowMs)
  const others = address.reverseNames.filter((known) => known.ip !== ip)
  return [...others, ...(name === null ? defaultReverseNames(address, defaults) : [{ ip, name }])]
}

function ownAddress({ type, ip }: NamedAddress, text: string): string {
  const parsed = parseAddress(text)
  const isOwn = parsed.ok && (type === 'ipv4' ? parsed.address === ip : cidrContains(ip, parsed.address))
  if (isOwn) return parsed.address
  const message = type === 'ipv4' ? `must be ${ip}` : `must be an address in ${ip}`
  throw invalidInput([{ field: 'ip', message }])
}

/** Until October 2025 a trailing dot was dropped in silence. */
function checkedName(text: string, nowMs: number): string {
  const name = inEffect(addressChanges.dns_ptr_trailing_dot, nowMs) ? text : text.replace(/\.$/, '')
  const message = name.endsWith('.')
    ? 'must not end with a dot'
    : isDnsName(name)
      ? undefined
      : 'must be a valid host name'
  if (message) throw invalidInput([{ field: 'dns_ptr', message }])
  return name
}
