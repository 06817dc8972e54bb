/** What the address of "Who can reach what" says: the question. */
interface ReachSearch {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly port?: string | undefined
}

export function reachSearch(search: Record<string, unknown>): ReachSearch {
  const text = (name: keyof ReachSearch) => {
    const value = search[name]
    const written = typeof value === 'number' ? String(value) : value
    return typeof written === 'string' && written !== '' ? { [name]: written } : {}
  }
  return { ...text('from'), ...text('to'), ...text('port') }
}
