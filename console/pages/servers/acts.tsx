/** What can be done with servers, one or many: menus, the bar of the selection, and the dialogs they open. */
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { Action } from '../../api/actions.ts'
import { useApi, useOutdate } from '../../api/api.ts'
import { useReason } from '../../shell/may.ts'
import { wordsFor } from '../../ui/failure.tsx'
import type { MenuEntry } from '../../ui/menu.tsx'
import type { PickedAct } from '../../ui/picked-bar.tsx'
import { toast } from '../../ui/toasts.ts'
import { common } from '../../words/en/common.ts'
import { servers as english } from '../../words/en/servers.ts'
import { wordsOf } from '../../words/words.ts'
import type { Server } from './server.ts'

const w = wordsOf('servers', english)
const c = wordsOf('common', common)
const atOnce = 6
const Dialogs = lazy(async () => ({ default: (await import('./dialogs.tsx')).ServerDialogs }))

type PowerOperation = 'servers_powerOn' | 'servers_powerOff' | 'servers_shutDown' | 'servers_reboot' | 'servers_reset'

/** A dialog that was asked for. */
export interface Asked {
  readonly kind: 'delete' | 'labels'
  readonly servers: readonly Server[]
  readonly done: () => void
}

interface ServerActs {
  /** The menu of one server. */
  menu(server: Server, action: Action | undefined, deleted?: () => void): readonly MenuEntry[]
  /** Why the power of a server cannot be changed like this now. */
  powerReason(operation: PowerOperation, server: Server, action: Action | undefined): string | undefined
  /** The acts on a selection; `done` is called when it has been acted on. */
  ofMany(servers: readonly Server[], done: () => void): readonly PickedAct[]
  power(operation: PowerOperation, servers: readonly Server[]): Promise<void>
  ask(asked: Asked): void
  readonly dialogs: ReactNode
}

/** Why the power cannot be changed like this now. */
function powerReason(operation: PowerOperation, { status }: Server, action?: Action): string | undefined {
  if (action) return w.isBusy
  if (operation === 'servers_powerOn') return status === 'running' ? w.isOn : undefined
  return status === 'off' ? w.isOff : undefined
}

export function useServerActs(): ServerActs {
  const api = useApi()
  const outdate = useOutdate()
  const [asked, ask] = useState<Asked>()
  const mayPower = useReason('servers_powerOn')
  const mayDelete = useReason('servers_remove')
  const mayChange = useReason('servers_update')

  /** Does the same to all, a few at a time; says which failed and why. */
  const each = async (servers: readonly Server[], act: (server: Server) => Promise<unknown>) => {
    const failures: string[] = []
    const queue = [...servers]
    const work = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const { name } = next
        await act(next).catch((cause: unknown) => failures.push(`${name}: ${wordsFor(cause)}`))
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    await outdate('servers')
    if (failures.length > 0) {
      toast({ mood: 'bad', title: w.someFailed(failures.length, servers.length), text: failures.slice(0, 5).join(' ') })
    }
  }
  const power = (operation: PowerOperation, servers: readonly Server[]) =>
    each(servers, ({ id }) => api.call(operation, { params: { id } }))
  const protect = ({ id, protection }: Server) =>
    each([{ id } as Server], () =>
      api.call('servers_changeProtection', {
        params: { id },
        body: { delete: !protection.delete, rebuild: !protection.delete },
      }),
    )

  const reasonFor = (operation: PowerOperation, server: Server, action: Action | undefined) =>
    mayPower ?? powerReason(operation, server, action)

  const menu = (server: Server, action: Action | undefined, deleted = () => {}): readonly MenuEntry[] => {
    const entry = (operation: PowerOperation, label: string, icon: 'power' | 'restart'): MenuEntry => ({
      key: operation,
      label,
      icon,
      reason: reasonFor(operation, server, action),
      onSelect: () => void power(operation, [server]),
    })
    return [
      server.status === 'off'
        ? entry('servers_powerOn', w.acts.powerOn, 'power')
        : entry('servers_shutDown', w.acts.shutDown, 'power'),
      entry('servers_reboot', w.acts.reboot, 'restart'),
      entry('servers_powerOff', w.acts.powerOff, 'power'),
      'line',
      {
        key: 'labels',
        label: w.acts.labels,
        icon: 'tag',
        reason: mayChange,
        onSelect: () => ask({ kind: 'labels', servers: [server], done: () => {} }),
      },
      {
        key: 'protect',
        label: server.protection.delete ? w.acts.unprotect : w.acts.protect,
        icon: 'lock',
        reason: mayChange,
        onSelect: () => void protect(server),
      },
      {
        key: 'copy',
        label: c.copyId,
        icon: 'copy',
        onSelect: () => void navigator.clipboard?.writeText(String(server.id)),
      },
      'line',
      {
        key: 'delete',
        label: w.acts.delete,
        icon: 'trash',
        isBad: true,
        reason: mayDelete ?? (server.protection.delete ? w.isProtected : undefined),
        onSelect: () => ask({ kind: 'delete', servers: [server], done: deleted }),
      },
    ]
  }

  const ofMany = (servers: readonly Server[], done: () => void): readonly PickedAct[] => [
    {
      key: 'on',
      label: w.acts.powerOn,
      icon: 'power',
      reason: mayPower,
      act: () => void power('servers_powerOn', servers),
    },
    {
      key: 'reboot',
      label: w.acts.reboot,
      icon: 'restart',
      reason: mayPower,
      act: () => void power('servers_reboot', servers),
    },
    {
      key: 'off',
      label: w.acts.shutDown,
      icon: 'pause',
      reason: mayPower,
      act: () => void power('servers_shutDown', servers),
    },
    {
      key: 'labels',
      label: w.acts.labels,
      icon: 'tag',
      reason: mayChange,
      act: () => ask({ kind: 'labels', servers, done }),
    },
    {
      key: 'delete',
      label: w.acts.delete,
      icon: 'trash',
      isBad: true,
      reason: mayDelete,
      act: () => ask({ kind: 'delete', servers, done }),
    },
  ]

  const dialogs = asked && (
    <Suspense>
      <Dialogs asked={asked} each={each} onClose={() => ask(undefined)} />
    </Suspense>
  )
  return { menu, ofMany, powerReason: reasonFor, power, ask, dialogs }
}
