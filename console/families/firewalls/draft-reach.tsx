/** Shows who could reach what with the rules of an editor. */
import { lazy, Suspense, useMemo } from 'react'
import type { FirewallRules } from '../../pages/reach/decide.ts'
import type { ReachTarget } from '../../pages/reach/picture.tsx'
import type { Places } from '../../pages/reach/sources.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { Server } from '../servers/server.ts'
import { kept } from './draft.ts'
import type { Firewall } from './firewall.ts'
import type { RulesEditor } from './use-rules.ts'
import { firewalls as w } from './words.ts'

/** The picture comes after the editor. */
const ReachCard = lazy(async () => ({ default: (await import('../../pages/reach/reach-card.tsx')).ReachCard }))

interface DraftReachProps {
  readonly firewall: Pick<Firewall, 'id' | 'applied_to'>
  readonly name: string
  readonly editor: RulesEditor
  readonly servers: readonly Server[]
  readonly places: Places
}

/** The picture with the drafts in it, those that are not applied marked as new. What cannot be applied is not in it. */
export function DraftReach({ firewall, name, editor, servers, places }: DraftReachProps) {
  const { drafts, changes, judgement, isDirty } = editor
  const rules = useMemo((): FirewallRules => {
    const own = { id: firewall.id, name }
    const changed = new Set(changes.map(({ draft }) => draft?.key))
    return {
      ...own,
      rules: kept(drafts).flatMap((content, index) => {
        if (judgement.byKey.has(content.key)) return []
        return [{ firewall: own, place: index + 1, content, isNew: changed.has(content.key) }]
      }),
    }
  }, [firewall.id, name, drafts, changes, judgement])
  const only = useMemo(() => [rules], [rules])
  return (
    <Suspense fallback={<Skeleton />}>
      <ReachCard
        aside={isDirty && <span className="faint">{w.withChanges}</span>}
        target={targetOf(firewall, name, servers)}
        firewalls={only}
        places={places}
      />
    </Suspense>
  )
}

function targetOf({ applied_to }: Pick<Firewall, 'applied_to'>, name: string, servers: readonly Server[]): ReachTarget {
  const [only, second] = applied_to
  const selector = second === undefined ? only?.label_selector?.selector : undefined
  const title = selector ?? (servers.length === 1 ? servers[0]!.name : w.serversOf(name))
  return { title, aside: w.serverCount(servers.length), icon: 'firewall', servers }
}
