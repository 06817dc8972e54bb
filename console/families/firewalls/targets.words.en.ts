/** Words about what a firewall is applied to. */
import { plural } from '../../words/format.ts'

const servers = { one: '# server', other: '# servers' }

export const firewallTargets = {
  applyTo: 'Apply to',
  applyTitle: (name: string) => `Apply ${name} to`,
  applyServers: (count: number) => `Apply to ${plural(count, servers)}`,
  applySelector: 'Apply to the selector',
  appliedNowhereTitle: 'Applied to nothing',
  appliedNowhereText: 'Apply it to servers, or to a label selector that new servers follow by themselves.',
  kind: 'What it is applied to',
  kinds: { server: 'Servers', label_selector: 'Label selector' },
  addSelector: 'Add the selector',
  matchesNow: (count: number) => (count === 0 ? 'matches no server now' : `matches ${plural(count, servers)} now`),
  pending: 'not in force yet',
  removeFrom: (name: string) => `Remove it from ${name}`,
  removeAct: 'Remove',
  removeTitle: (target: string, name: string) => `Remove ${name} from ${target}?`,
  removeText: 'What its rules dropped gets through, unless another firewall is applied there.',
}
