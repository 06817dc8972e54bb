/** Words of the search. */
import { plural } from '../format.ts'

export const palette = {
  title: 'Search or run a command',
  placeholder: 'A page, a name or what to do',
  pages: 'Pages',
  resources: 'Resources',
  projects: 'Projects',
  settings: 'Settings',
  actions: 'Actions',
  nothing: 'Nothing here has this name.',
  searching: 'Looking for it …',
  create: (type: string) => `Create ${type}`,
  count: (count: number) => plural(count, { one: '# result', other: '# results' }),
}
