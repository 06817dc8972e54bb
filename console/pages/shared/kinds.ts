/** What the kinds of resources are called that Projects hold. */

import { families, isFamily } from '../../families.ts'
import { capital, familyName } from '../../lib/api-names.ts'
import { access } from '../../words/access.ts'
import { common } from '../../words/common.ts'
import { list, number } from '../../words/format.ts'

const { networkMembers } = access
const { andMore } = common

/** What is limited and is no resource. */
const others: Readonly<Record<string, string>> = { network_members: networkMembers }

/** As in the navigation; what has no page of its own is called as in its words. */
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
