/** Words for the names of the API that are of no family; the families that have slices name themselves. */
import type { FamilyName } from '../../api/operations.ts'
import type { Contracts } from '../../generated/contracts.ts'

export { names as slices } from '../../generated/names.en.ts'

export const names = {
  /** Forms in a sentence. */
  families: {
    actions: 'actions',
    projects: 'Projects',
    tokens: 'API tokens',
    members: 'members',
    invitations: 'invitations',
    limits: 'limits',
    transfer: 'ownership',
    activity: 'activity',
    audit: 'audit log',
    installation: 'installation',
    people: 'people',
    account: 'accounts',
    whoami: 'callers',
    reachability: 'reachability',
    clock: 'clock of the lab',
    forks: 'forks',
    har: 'recorded requests',
    report: 'report of the lab',
    runs: 'runs',
    reset: 'reset',
    snapshots: 'snapshots of the cloud',
    faults: 'injected faults',
    seed: 'seeds',
  } satisfies Record<Exclude<FamilyName, keyof Contracts>, string>,
  /** The actions that several families have. */
  commands: {
    change_dns_ptr: 'Change reverse DNS',
    change_protection: 'Change protection',
    attach_to_network: 'Attach to network',
    detach_from_network: 'Detach from network',
  },
  /** The failures of actions of any kind. */
  failures: {
    action_failed: 'The machine could not do it.',
  },
}
