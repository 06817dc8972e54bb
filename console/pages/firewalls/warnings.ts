/** What is worth a second look before rules are applied. Pure. */
import { parsePorts } from '../../../src/families/firewalls/domain.ts'
import { type Change, type Content, type Draft, kept } from './draft.ts'
import { internet } from './rule.ts'

export type Warning =
  | { readonly kind: 'opens'; readonly draft: Draft; readonly before: Content | undefined }
  | { readonly kind: 'closesSsh' }
  | { readonly kind: 'limitsOut' }

/** Ports that are meant for everybody. */
const publicPorts = new Set(['80', '443'])

function isForEverybody({ direction, networks }: Content): boolean {
  return direction === 'in' && networks.some((network) => internet.some((all) => all === network))
}

function letsSshIn({ direction, protocol, port, networks }: Content): boolean {
  if (direction !== 'in' || protocol !== 'tcp' || networks.length === 0) return false
  const ports = parsePorts(port)
  return port === 'any' || (ports !== undefined && ports.first <= 22 && ports.last >= 22)
}

export function warningsOf(
  before: readonly Content[],
  drafts: readonly Draft[],
  changes: readonly Change[],
): readonly Warning[] {
  const opened = changes.flatMap(({ kind, draft, before: old }): Warning[] => {
    if (!draft || kind === 'del' || !isForEverybody(draft)) return []
    const isMeant = draft.protocol === 'icmp' || (draft.protocol === 'tcp' && publicPorts.has(draft.port))
    const wasOpen = old && isForEverybody(old) && old.port === draft.port && old.protocol === draft.protocol
    return isMeant || wasOpen ? [] : [{ kind: 'opens', draft, before: old }]
  })
  const left = kept(drafts)
  const closes = before.some(letsSshIn) && !left.some(letsSshIn)
  const isOut = ({ direction }: Content) => direction === 'out'
  const limits = !before.some(isOut) && left.some(isOut)
  return [
    ...opened,
    ...(closes ? [{ kind: 'closesSsh' as const }] : []),
    ...(limits ? [{ kind: 'limitsOut' as const }] : []),
  ]
}
