/** What the kinds of resources are called that Projects hold. */
import { access } from '../../words/en/access.ts'
import { common } from '../../words/en/common.ts'
import { shell } from '../../words/en/shell.ts'
import { list, number } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'

const { navigation } = wordsOf('shell', shell)
const { kinds } = wordsOf('access', access)
const { andMore } = wordsOf('common', common)

const others: Readonly<Record<string, string>> = { load_balancers: navigation.balancers, ssh_keys: navigation.keys }

/** `Primary IPs` for `primary_ips`: as in the navigation, where it has them. */
export function kindName(kind: string): string {
  const key = kind.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  return others[kind] ?? navigation[key as keyof typeof navigation] ?? kinds(kind)
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
