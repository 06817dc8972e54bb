/** Words of the page of all Projects. */
import { plural } from '../format.ts'

export const projects = {
  title: 'Projects',
  filter: 'Filter Projects',
  filterHint: 'Name',
  none: 'No Projects yet',
  noneText: 'A Project holds servers, networks and everything else, and the people who share them.',
  noneOwn: 'You are in no Project',
  noneOwnText: 'Who owns or administers a Project can invite you to it.',
  noneCommand: 'wolke project create NAME',
  counts: (servers: number) => plural(servers, { one: '# server', other: '# servers' }),
  others: (count: number) => plural(count, { one: '# other thing', other: '# other things' }),
  running: (count: number) => plural(count, { one: '# action running', other: '# actions running' }),
  failed: (count: number) => plural(count, { one: '# thing failed', other: '# things failed' }),
  ending: (count: number) => plural(count, { one: '# certificate ends soon', other: '# certificates end soon' }),
  quiet: 'Nothing runs, nothing ends soon',
  about: (price: string) => `about ${price}`,
  created: (name: string) => `Project ${name}`,
  pin: (name: string) => `Pin ${name}`,
  create: 'Create Project',
  createText: 'You become its owner.',
  name: 'Name',
  ownerEmail: 'Mail of the owner',
  ownerEmailHint: 'Gets mail about certificates and what else needs somebody. Empty means nobody.',
  allOfInstallation: 'All Projects of the installation',
}
