/** The acts on servers, as pages, menus and dialogs hand them on. */
import type { ReactNode } from 'react'
import type { Verb } from '../../../src/families/servers/domain.ts'
import type { Action } from '../../api/actions.ts'
import type { Api } from '../../api/api.ts'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import type { Each } from './each.ts'
import type { Server } from './server.ts'

export type PowerVerb = Extract<Verb, 'powerOn' | 'powerOff' | 'shutDown' | 'reboot' | 'reset'>

/** An act that interrupts what runs on a server; it is asked about first. */
export type Cut = Exclude<PowerVerb, 'powerOn'>

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
