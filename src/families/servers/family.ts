/** The family of servers. */
import { byId, defineFamily } from '../../platform.ts'
import { accessActions } from './access/actions.ts'
import { endRescues, rescueEnds } from './access/jobs.ts'
import { serverActions } from './actions.ts'
import { serverChanges } from './changes.ts'
import { serverEndpoints } from './contract.ts'
import { state } from './desired.ts'
import { diskActions } from './disk/actions.ts'
import { nextBackups, startBackups } from './disk/jobs.ts'
import { durations } from './durations.ts'
import { isoActions } from './iso/actions.ts'
import { membershipActions } from './placement-groups/actions.ts'
import { serverCosts, serverRates } from './prices.ts'
import { serverRoutes } from './routes.ts'
import { requestConsole } from './screens/actions.ts'
import { forgetConsoles } from './screens/jobs.ts'
import { consolePasswords } from './screens/tables.ts'
import { seed } from './seed.ts'
import { servers as resource } from './store.ts'
import { serverLocks } from './tables.ts'
import { typeActions } from './type/actions.ts'

export const servers = defineFamily({
  spelling: resource,
  costs: serverCosts,
  rates: serverRates,
  changes: serverChanges,
  seed,
  endpoints: serverEndpoints,
  routes: serverRoutes,
  jobs: [
    { name: 'startBackups', due: nextBackups, run: startBackups },
    { name: 'endRescues', due: rescueEnds, run: endRescues },
    { name: 'forgetConsoles', due: 'whenever', run: forgetConsoles },
  ],
  limited: [resource],
  locks: serverLocks,
  sealed: [consolePasswords],
  resources: byId(resource),
  durations,
  actions: [
    ...serverActions,
    requestConsole,
    ...diskActions,
    ...typeActions,
    ...accessActions,
    ...membershipActions,
    ...isoActions,
  ],
  desired: [state],
})
