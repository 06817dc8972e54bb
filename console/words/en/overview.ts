/** Words of the forecast of a Project. */
import { plural } from '../format.ts'

const servers = { one: '# server', other: '# servers' }

export const overview = {
  title: (project: string) => `Overview of ${project}`,
  run: (running: number, all: number) =>
    running === all
      ? plural(all, { one: 'The one server runs.', other: 'All # servers run.' })
      : `${running} of ${plural(all, servers)} run.`,
  well: 'Nothing needs you, and nothing ends within seven days.',
  needs: (count: number) => plural(count, { one: 'One thing needs you.', other: '# things need you.' }),
  ends: (count: number) =>
    plural(count, { one: 'One certificate ends within seven days.', other: '# certificates end within seven days.' }),
  begin: 'Get started',
  emptyText:
    'Nothing is here yet, and a Project begins with a server. Four commands make one that your key opens, after one that leads them here:',
  point: 'This cloud, for the shell that runs the others',
  steps: [
    {
      label: 'Your SSH key',
      command: 'hcloud ssh-key create --name laptop --public-key-from-file ~/.ssh/id_ed25519.pub',
    },
    {
      label: 'A firewall, which lets nothing in',
      command: 'hcloud firewall create --name web',
    },
    {
      label: 'SSH from anywhere',
      command:
        'hcloud firewall add-rule web --direction in --protocol tcp --port 22 --source-ips 0.0.0.0/0 --source-ips ::/0',
    },
    {
      label: 'The server, with both',
      command: 'hcloud server create --name web-1 --type cx23 --image debian-12 --ssh-key laptop --firewall web',
    },
  ],
  week: 'The next seven days',
  today: 'Today',
  certificates: { renews: (name: string) => `${name} renews`, ends: (name: string) => `${name} ends` },
  backupsFrom: (hour: string) => `Backups from ${hour}:00 UTC`,
  needsYou: 'Needs you',
  servers: 'Servers',
  states: {
    running: (count: number) => plural(count, { one: '# runs', other: '# run' }),
    moving: (count: number) => plural(count, { one: '# on its way', other: '# on their way' }),
    off: (count: number) => plural(count, { one: '# off', other: '# off' }),
    attention: (count: number) => plural(count, { one: '# unknown', other: '# unknown' }),
  },
  failed: (command: string, name: string) => (name ? `${name}: ${command} failed` : `${command} failed`),
  healthyOf: (healthy: string, all: string) => `${healthy} of ${all} healthy`,
  noTargets: 'No targets',
  noMatch: 'No server matches its selectors.',
  zoneStale: (name: string) => `${name}: the primary servers do not answer`,
  zoneStaleText: 'The copy is too old to be trusted, so nobody gets answers from it.',
  blocked: (name: string) => `${name} is blocked`,
  moreNeeds: (count: number) => plural(count, { one: 'and # more', other: 'and # more' }),
  look: 'Look at it',
  unknownState: (name: string) => `The state of ${name} is unknown`,
  cost: 'Cost of a month',
  estimate: 'estimate',
  shares: (parts: string) => `Shares: ${parts}`,
  activity: 'Activity',
  all: 'All',
  nothingDone: 'Nothing was done yet.',
}
