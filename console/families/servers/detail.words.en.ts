/** Words of the pages of one server. */
import { plural } from '../../words/format.ts'

export const server = {
  tabs: {
    overview: 'Overview',
    networking: 'Networking',
    backups: 'Backups and snapshots',
    change: 'Rescale, rebuild, rescue',
    activity: 'Activity',
    settings: 'Settings',
  },
  label: 'Parts of the server',
  machine: 'Machine',
  type: 'Type',
  image: 'Image',
  location: 'Location',
  created: 'Created',
  group: 'Placement group',
  iso: 'ISO',
  disk: 'Disk',
  gigabytes: (amount: string) => `${amount} GB`,
  addresses: 'Addresses',
  enter: 'Sign in',
  enterText: 'With the key that was installed, or with the root password.',
  running: (command: string) => `${command} is running`,
  firewalls: 'Firewalls',
  firewallStatus: { applied: 'Applied', pending: 'Being applied' } as Readonly<Record<string, string>>,
  noFirewalls: 'No firewall is applied, so every port is open.',
  noAddresses: 'It has no public address.',
  noNetworks: 'It is in no private network.',
  activity: {
    caption: (name: string) => `Actions of ${name}`,
    command: 'Action',
    status: 'Status',
    started: 'Started',
    duration: 'Took',
    none: 'Nothing has been done with it yet.',
    statuses: { running: 'Running', success: 'Done', error: 'Failed' },
  },
  settings: {
    name: 'Name',
    rename: 'Rename',
    labels: 'Labels',
    protection: 'Protection',
    protectDelete: 'From deletion',
    protectRebuild: 'From rebuild',
    delete: 'Delete',
    deleteText: 'Its disk and its backups go with it. Snapshots stay.',
  },
  cut: {
    shutDown: {
      title: (names: string) => `Shut down ${names}?`,
      text: (count: number) =>
        plural(count, {
          one: 'It is asked to stop by itself, and nothing on it answers until it is powered on again.',
          other: 'They are asked to stop by themselves, and nothing on them answers until they are powered on again.',
        }),
      act: (count: number) => plural(count, { one: 'Shut down', other: 'Shut down # servers' }),
    },
    reboot: {
      title: (names: string) => `Reboot ${names}?`,
      text: (count: number) =>
        plural(count, {
          one: 'It is asked to start anew by itself, and nothing on it answers until it is up again.',
          other: 'They are asked to start anew by themselves, and nothing on them answers until they are up again.',
        }),
      act: (count: number) => plural(count, { one: 'Reboot', other: 'Reboot # servers' }),
    },
    powerOff: {
      title: (names: string) => `Power off ${names}?`,
      text: (count: number) =>
        plural(count, {
          one: 'The power is cut at once. What is not on the disk yet is lost. “Shut down” asks the server to stop by itself.',
          other:
            'The power is cut at once. What is not on the disks yet is lost. “Shut down” asks the servers to stop by themselves.',
        }),
      act: (count: number) => plural(count, { one: 'Power off', other: 'Power off # servers' }),
    },
    reset: {
      title: (names: string) => `Reset ${names}?`,
      text: (count: number) =>
        plural(count, {
          one: 'The power is cut at once and comes back. What is not on the disk yet is lost. “Reboot” asks the server to do it by itself.',
          other:
            'The power is cut at once and comes back. What is not on the disks yet is lost. “Reboot” asks the servers to do it by themselves.',
        }),
      act: (count: number) => plural(count, { one: 'Reset', other: 'Reset # servers' }),
    },
    stays: (names: string) => `Nothing changes for ${names}, which cannot be told this now.`,
    keep: 'Leave it on',
    keepThem: 'Leave them on',
  },
  saved: (name: string) => `${name} is saved`,
  password: (name: string) => `The root password of ${name}`,
  ago: (text: string) => `created ${text}`,
  count: (count: number) => plural(count, { one: '# server', other: '# servers' }),
}
