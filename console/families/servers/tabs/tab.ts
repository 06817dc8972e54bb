import type { Action } from '../../../api/actions.ts'
import type { Server } from '../server.ts'

export interface TabProps {
  readonly server: Server
  readonly action: Action | undefined
}
