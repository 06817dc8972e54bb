/** Words of the page of all Projects. */
import { plural } from '../format.ts'

export const projects = {
  title: 'Projects',
  filter: 'Filter Projects',
  none: 'No Projects yet',
  noneText: 'A Project holds servers, networks and everything else, and the people who share them.',
  noneCommand: 'wolke project create NAME',
  counts: (servers: number) => plural(servers, { one: '# server', other: '# servers' }),
  created: (name: string) => `Project ${name}`,
}
