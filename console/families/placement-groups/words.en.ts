/** Words of the page of placement groups. */
import { plural } from '../../words/format.ts'

export const placementGroups = {
  title: 'Placement groups',
  list: 'List the placement groups',
  create: 'Create placement group',
  types: { spread: 'Spread' },
  typeText: 'Servers in it run on different hosts, so that one broken host takes one of them at most.',
  places: 'Places',
  placesOf: (name: string) => `Places taken in ${name}`,
  taken: (taken: string, all: string) => `${taken} of ${all}`,
  servers: 'Servers',
  none: 'No placement groups yet',
  noneText: 'Servers in a placement group run on different hosts, so that one broken host takes one of them at most.',
  noneCommand: 'hcloud placement-group create --name web --type spread',
  deleteText: (servers: number) =>
    servers === 0
      ? 'It has no servers.'
      : `${plural(servers, { one: '# server stays and is', other: '# servers stay and are' })} placed anywhere from then on.`,
  deleteAct: 'Delete the placement group',
  group: 'Placement group',
  server: 'Server',
  choose: 'Choose one',
  apart: 'It is in no placement group, so it may share a host with any other server.',
  join: 'Add a server',
  joinTitle: (group: string) => `Add a server to ${group}`,
  joinOwn: 'Add to a placement group',
  joinOwnTitle: (server: string) => `Add ${server} to a placement group`,
  joinText: 'It starts afterwards, on a host on which none of the others runs.',
  joinAct: 'Add and start',
  mustBeOff: 'Power it off first.',
  mustBeOffOf: (name: string) => `${name}: power it off first`,
  noneFree: 'All servers are in a placement group.',
  isFull: 'All its places are taken.',
  noRoom: 'No placement group has a free place.',
  leave: 'Take a server out',
  leaveTitle: (group: string) => `Take a server out of ${group}`,
  leaveOwn: 'Take out of the placement group',
  leaveOwnTitle: (server: string, group: string) => `Take ${server} out of ${group}?`,
  leaveText: 'It keeps running where it is, and may share its host with the others from its next start on.',
  leaveAct: 'Take it out',
  isEmpty: 'It has no servers.',
}
