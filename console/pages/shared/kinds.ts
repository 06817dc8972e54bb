/** The names of the kinds of resources that Projects hold. */

import { families, isFamily } from '../../families.ts'
import { capital, familyName } from '../../lib/api-names.ts'
import { access } from '../../words/access.ts'
import { common } from '../../words/common.ts'
import { list, number } from '../../words/format.ts'

const { networkMembers } = access
const { andMore } = common

/** The limited kinds that are no resources. */
const others: Readonly<Record<string, string>> = { network_members: networkMembers }

/** Returns the name in the navigation; kinds without a page of their own are called as in their words. */
export function kindName(kind: string): string {
  return isFamily(kind) ? families[kind].label : (others[kind] ?? capital(familyName(kind)))
}

/** `Servers: 4 · Firewalls: 1`, most first; empty when there is nothing. */
export function holdings(resources: Readonly<Record<string, number>>): string {
  return Object.entries(resources)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${kindName(kind)}: ${number(count)}`)
    .join(' · ')
}

export function kindNames(all: readonly string[]): string {
  return list(all.map(kindName), andMore)
}
