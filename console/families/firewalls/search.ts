/** What the address of the page for a new firewall says: whose rules it starts with. */
interface NewFirewallSearch {
  readonly from?: number | undefined
}

export function newFirewallSearch({ from }: Record<string, unknown>): NewFirewallSearch {
  return Number.isInteger(Number(from)) && from !== undefined ? { from: Number(from) } : {}
}
