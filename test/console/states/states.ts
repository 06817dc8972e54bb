/**
 * The pages of the console in their states. `every-state/<area>.test.ts` and `npm run screenshots` go through all of
 * them; a page that is added gets its entries in the list of its area.
 */
import type { Role } from '../../../src/kernel/access/roles.ts'
import type { Area } from '../every-page/pages.ts'
import type { Console, ConsoleOptions } from '../kit/harness.ts'
import { accessStates } from './access.ts'
import { adminStates } from './admin.ts'
import { firewallStates } from './firewalls.ts'
import { resourceStates } from './resources.ts'
import { serverTabStates } from './server-tabs.ts'
import { serverStates } from './servers.ts'
import { shellStates } from './shell.ts'
import { storageStates } from './storage.ts'

export interface PageState {
  /** Names the picture: `servers-empty`. */
  readonly name: string
  /** Where it is; `P` stands for the open Project. */
  readonly path: string | ((console: Console) => Promise<string>)
  /** Of the person who looks; owner by default. */
  readonly role?: Role | null
  /** Whether that person administers the installation, what that was started with, and whether it is a lab. */
  readonly options?: Pick<ConsoleOptions, 'isOperator' | 'effective' | 'lab'>
  /** Where it can be seen; wide and narrow by default. */
  readonly widths?: readonly number[]
  /** How the reader has set up the system. */
  readonly media?: { readonly forcedColors?: 'active'; readonly contrast?: 'more' }
  /** Makes what the page shows, over the API. */
  readonly prepare?: (console: Console) => Promise<void>
  /** Brings the page into the state, such as by opening a dialog. */
  readonly act?: (console: Console) => Promise<void>
}

export const states: Readonly<Record<Area, readonly PageState[]>> = {
  access: accessStates,
  admin: adminStates,
  firewalls: firewallStates,
  resources: resourceStates,
  'server-tabs': serverTabStates,
  servers: serverStates,
  shell: shellStates,
  storage: storageStates,
}
