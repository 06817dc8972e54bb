/** The search part of the address of a new firewall: the firewall whose rules it starts with. */
interface NewFirewallSearch {
  readonly from?: number | undefined
}

export function newFirewallSearch({ from }: Record<string, unknown>): NewFirewallSearch {
  return Number.isInteger(Number(from)) && from !== undefined ? { from: Number(from) } : {}
}
