/** What can be done with servers, one or many; menus and dialogs are loaded when they are asked for. */
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { allows, isPassing, type Verb } from '../../../src/families/servers/domain.ts'
import type { Action } from '../../api/actions.ts'
import { useApi, useOutdate } from '../../api/api.ts'
import { useReason } from '../../shell/may.ts'
import { wordsFor } from '../../ui/failure.tsx'
import type { MenuEntry } from '../../ui/menu.tsx'
import { toast } from '../../ui/toasts.ts'
import { servers as english } from '../../words/en/servers.ts'
import { wordsOf } from '../../words/words.ts'
import type { Server } from './server.ts'

const w = wordsOf('servers', english)
const atOnce = 6
const Dialogs = lazy(async () => ({ default: (await import('./dialogs.tsx')).ServerDialogs }))

export type PowerVerb = Extract<Verb, 'powerOn' | 'powerOff' | 'shutDown' | 'reboot' | 'reset'>

/** What stops a server without asking it. */
export type Cut = Extract<PowerVerb, 'powerOff' | 'reset'>

/** A dialog that was asked for. */
export interface Asked {
  readonly kind: 'delete' | 'rename' | 'labels' | 'firewalls' | Cut
  readonly servers: readonly Server[]
  readonly done: () => void
}

/** What came of an act on one of many servers. */
export interface Result {
  readonly server: Server
  /** Why it stayed as it was. */
  readonly problem?: string
  /** Whether there was nothing to do. */
  readonly isSkipped?: boolean
}

export interface ServerActs {
  /** The menu of one server. */
  menu(server: Server, action: Action | undefined, deleted?: () => void): Promise<readonly MenuEntry[]>
  /** Why the power of a server cannot be changed like this now. */
  powerReason(verb: PowerVerb, server: Server, action?: Action): string | undefined
  power(verb: PowerVerb, servers: readonly Server[]): Promise<void>
  protect(server: Server): Promise<void>
  ask(asked: Asked): void
  readonly reasons: Readonly<Record<'power' | 'change' | 'remove' | 'firewalls', string | undefined>>
  readonly dialogs: ReactNode
}

/** Why a server in its present state cannot be told this; the rule is that of the API. */
function stateReason(verb: PowerVerb, { status }: Server, action?: Action): string | undefined {
  if (action || isPassing(status)) return w.isBusy
  if (allows(status, verb)) return undefined
  return status === 'off' ? w.isOff : w.isOn
}

export function useServerActs(): ServerActs {
  const api = useApi()
  const [asked, ask] = useState<Asked>()
  const { each, results, forget } = useEach()
  const reasons = {
    power: useReason('servers_powerOn'),
    change: useReason('servers_update'),
    remove: useReason('servers_remove'),
    firewalls: useReason('firewalls_applyToResources'),
  }
  const acts: Omit<ServerActs, 'menu'> = {
    powerReason: (verb, server, action) => reasons.power ?? stateReason(verb, server, action),
    power: (verb, servers) =>
      each(
        servers,
        ({ id }) => api.call(`servers_${verb}`, { params: { id } }),
        (server) => (servers.length > 1 ? stateReason(verb, server) : undefined),
      ),
    protect: (server) =>
      each([server], ({ id, protection }) =>
        api.call('servers_changeProtection', {
          params: { id },
          body: { delete: !protection.delete, rebuild: !protection.delete },
        }),
      ),
    ask,
    reasons,
    dialogs: (asked || results.length > 0) && (
      <Suspense>
        <Dialogs asked={asked} each={each} results={results} onClose={() => (asked ? ask(undefined) : forget())} />
      </Suspense>
    ),
  }
  return { ...acts, menu: async (...of) => (await import('./menu.ts')).menuOf(acts, ...of) }
}

/** Does the same to all servers. `skip` says why there is nothing to do for one. */
export type Each = (
  servers: readonly Server[],
  act: (server: Server) => Promise<unknown>,
  skip?: (server: Server) => string | undefined,
) => Promise<void>

/** Does the same to many, a few at a time; what came of each is told when it is not the same for all. */
function useEach() {
  const outdate = useOutdate()
  const [results, setResults] = useState<readonly Result[]>([])
  const each: Each = async (servers, act, skip) => {
    const found = new Map<number, Result>()
    const queue = [...servers]
    const work = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) found.set(next.id, await tried(next, act, skip))
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    await outdate('servers')
    const all = servers.map(({ id }) => found.get(id)!)
    const failed = all.filter(({ problem }) => problem !== undefined)
    if (failed.length === 0) return
    if (servers.length > 1) setResults(all)
    else toast({ mood: 'bad', title: w.someFailed(1, 1), text: `${failed[0]!.server.name}: ${failed[0]!.problem}` })
  }
  return { each, results, forget: () => setResults([]) }
}

async function tried(server: Server, act: (server: Server) => Promise<unknown>, skip: Parameters<Each>[2]) {
  const reason = skip?.(server)
  if (reason !== undefined) return { server, problem: reason, isSkipped: true }
  return act(server).then(
    () => ({ server }),
    (cause: unknown) => ({ server, problem: wordsFor(cause) }),
  )
}
