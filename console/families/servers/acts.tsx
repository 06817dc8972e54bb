/** What can be done with servers, one or many; menus, dialogs and the work are loaded when they are asked for. */
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { Action } from '../../api/actions.ts'
import { type Api, useApi, useOutdate } from '../../api/api.ts'
import { useReason } from '../../shell/may.ts'
import type { MenuEntry } from '../../ui/menu.tsx'
import type { Each, Result } from './each.ts'
import type { Cut } from './power.ts'
import type { Server } from './server.ts'

const Dialogs = lazy(async () => ({ default: (await import('./dialogs.tsx')).ServerDialogs }))

/** A dialog that was asked for. */
export interface Asked {
  readonly kind: 'delete' | 'rename' | 'labels' | 'firewalls' | Cut
  readonly servers: readonly Server[]
  readonly done: () => void
}

export interface ServerActs {
  readonly api: Api
  /** The menu of one server. */
  menu(server: Server, action: Action | undefined, deleted?: () => void): Promise<readonly MenuEntry[]>
  readonly each: Each
  ask(asked: Asked): void
  readonly reasons: Readonly<Record<'power' | 'change' | 'remove' | 'firewalls', string | undefined>>
  readonly dialogs: ReactNode
}

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
