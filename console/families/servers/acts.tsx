/** The acts on servers, one or many; menus, dialogs and the work are loaded when they are asked for. */

import { lazy, Suspense, useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { useReason } from '../../shell/may.ts'
import type { Each, Result } from './each.ts'
import type { Asked, ServerActs } from './server-acts.ts'

const Dialogs = lazy(async () => ({ default: (await import('./dialogs.tsx')).ServerDialogs }))

export function useServerActs(): ServerActs {
  const api = useApi()
  const outdate = useOutdate()
  const [asked, ask] = useState<Asked>()
  const [results, setResults] = useState<readonly Result[]>([])
  const each: Each = async (...of) => setResults(await (await import('./each.ts')).toEach(outdate, ...of))
  const acts: Omit<ServerActs, 'menu'> = {
    api,
    each,
    ask,
    reasons: {
      power: useReason('servers_powerOn'),
      change: useReason('servers_update'),
      remove: useReason('servers_remove'),
      firewalls: useReason('firewalls_applyToResources'),
    },
    dialogs: (asked || results.length > 0) && (
      <Suspense>
        <Dialogs
          asked={asked}
          each={each}
          results={results}
          onClose={() => (asked ? ask(undefined) : setResults([]))}
        />
      </Suspense>
    ),
  }
  return { ...acts, menu: async (...of) => (await import('./menu.ts')).menuOf(acts, ...of) }
}
