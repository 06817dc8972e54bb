import { defineFamily } from '../../platform.ts'
import { sshKeyEndpoints } from './contract.ts'
import { sshKeyRoutes } from './routes.ts'
import { seed } from './seed.ts'
import { sshKeys as keys } from './store.ts'
import { sshKeyLocks } from './tables.ts'

export const sshKeys = defineFamily({
  spelling: keys,
  seed,
  endpoints: sshKeyEndpoints,
  routes: sshKeyRoutes,
  limited: [keys],
  locks: sshKeyLocks,
})
