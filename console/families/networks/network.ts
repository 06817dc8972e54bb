import type { ItemOf } from '../../api/api.ts'
import type { ActsOptions } from '../../pages/shared/act.ts'
import { networks as w } from './words.ts'

export type Network = ItemOf<'networks_list'>
export type Member = ItemOf<'networks_listMembers'>

export const networkActs: ActsOptions<Network> = {
  family: 'networks',
  touches: ['servers'],
  lost: ({ servers, load_balancers: balancers }) => w.deleteText(servers.length + balancers.length),
  deleteAct: w.deleteAct,
}

const toNumber = (address: string) => address.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0)
const toAddress = (value: number) => [24, 16, 8, 0].map((bits) => (value >>> bits) & 255).join('.')

/** The first and the last address of a range, as numbers. */
function spanOf(range: string): { readonly first: number; readonly last: number } {
  const [address = '', length = '32'] = range.split('/')
  const first = toNumber(address)
  return { first, last: first + 2 ** (32 - Number(length)) - 1 }
}

/** Counts the addresses of a range. */
export function sizeOf(range: string): number {
  const { first, last } = spanOf(range)
  return last - first + 1
}

export function holds(range: string, address: string): boolean {
  const { first, last } = spanOf(range)
  const at = toNumber(address)
  return first <= at && at <= last
}

/** A /24 of the network that no subnet has taken; an empty text when there is none. */
export function freeRange(network: string, taken: readonly string[]): string {
  const { first, last } = spanOf(network)
  const spans = taken.map(spanOf)
  const size = Math.min(256, last - first + 1)
  for (let at = first; at + size - 1 <= last; at += size) {
    const end = at + size - 1
    if (spans.every((span) => end < span.first || span.last < at)) return `${toAddress(at)}/${32 - Math.log2(size)}`
  }
  return ''
}
