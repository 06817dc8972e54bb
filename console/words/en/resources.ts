/** Words for what can be done with resources of every family. */
import { plural } from '../format.ts'

export const resources = {
  rename: 'Rename',
  renameTitle: (name: string) => `Rename ${name}`,
  protect: 'Protect from deletion',
  unprotect: 'Take the protection off',
  isProtected: 'is protected',
  protected: 'Protected from deletion',
  notChanged: (name: string) => `${name} was not changed`,
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteAct: (name: string) => `Delete ${name}`,
  activity: 'Activity',
  noActivity: 'Nothing has happened to it yet.',
  activityCaption: (name: string) => `Actions of ${name}`,
  command: 'Action',
  state: 'State',
  started: 'Started',
  took: 'Took',
  statuses: { running: 'Running', success: 'Done', error: 'Failed' },
  danger: 'Danger',
  server: 'Server',
  chooseServer: 'Choose a server',
  findServer: 'Name or address of the server',
  noServerFits: 'No server fits.',
  moreServers: (count: string) => `${count} more, type to find them`,
  reference: 'Reference',
  selector: 'Label selector',
  matchesNames: (count: number, names: string) =>
    count === 0
      ? 'Matches no server now.'
      : `Matches ${plural(count, { one: '# server', other: '# servers' })} now: ${names}.`,
  moreNames: (count: number) => plural(count, { one: '# more', other: '# more' }),
}
