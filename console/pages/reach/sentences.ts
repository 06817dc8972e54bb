/** The sentences on who can reach what. */

import { list } from '../../words/format.ts'
import { reach as w } from '../../words/reach.ts'
import type { Answer, EffectiveRule } from './decide.ts'
import { titleOf } from './picture.tsx'
import { portText, type SourceGroup } from './sources.ts'

function portsOf(rules: readonly EffectiveRule[]): string {
  const texts = [...new Set(rules.map((rule) => portText(rule) || '?'))]
  return list(texts, w.morePorts)
}

function subject(group: SourceGroup): string {
  if (group.kind === 'internet') return w.theInternet
  const [title] = titleOf(group)
  return group.kind === 'addresses' && group.networks.length > 1 ? group.networks.slice(0, 4).join(', ') : title
}

/** One sentence for each source, and the last one for all the rest. */
export function sentencesOf(
  groups: readonly SourceGroup[],
  target: string,
  isFiltered: boolean,
  outbound: readonly SourceGroup[],
): readonly string[] {
  if (!isFiltered) return [w.allReach(target)]
  const inbound = groups.flatMap((group) => {
    const now = group.rules.filter(({ isNew }) => !isNew)
    const next = group.rules.filter(({ isNew }) => isNew)
    return [
      ...(now.length > 0 ? [w.reaches(subject(group), target, portsOf(now))] : []),
      ...(next.length > 0 ? [w.willReach(subject(group), target, portsOf(next))] : []),
    ]
  })
  const out = outbound.map((group) => w.leaves(target, subject(group), portsOf(group.rules)))
  return [...inbound, w.elseDropped, ...(outbound.length > 0 ? [...out, w.elseStays] : [w.outFree(target)])]
}

/** The answer to a question: the verdict and the reason. */
export function answerText(answer: Answer, to: string, networkName: (id: number) => string): readonly [string, string] {
  if (answer.isReachable) {
    const family = 'isIpv6' in answer && answer.isIpv6 ? ` ${w.overIpv6}` : ''
    if (answer.by === 'private') return [w.yes, w.yesPrivate(networkName(answer.network))]
    if (answer.by === 'nothing') return [w.yes, w.yesNothing(to) + family]
    const { place, firewall, isNew } = answer.rule
    return [w.yes, (isNew ? w.yesOnce(String(place), firewall.name) : w.yesRule(String(place), firewall.name)) + family]
  }
  if (answer.by === 'power') return [w.no, w.noPower(answer.server.name)]
  if (answer.by === 'private') return [w.no, w.noPrivate(answer.address)]
  if (answer.by === 'address') return [w.no, w.noAddress]
  if (answer.by === 'outbound') return [w.no, w.noOutbound(answer.server.name)]
  const names = answer.firewalls.map(({ name }) => name)
  return [w.no, w.noInbound(list(names, w.morePorts))]
}
