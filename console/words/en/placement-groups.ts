/** Words of the page of placement groups. */
import { plural } from '../format.ts'

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
}
