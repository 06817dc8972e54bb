/** Words of the search. */
import { plural } from '../format.ts'

export const palette = {
  title: 'Search or run a command',
  placeholder: 'A page, a name or what to do',
  pages: 'Pages',
  resources: 'Resources',
  actions: 'Actions',
  nothing: 'Nothing has this name.',
  count: (count: number) => plural(count, { one: '# result', other: '# results' }),
}
