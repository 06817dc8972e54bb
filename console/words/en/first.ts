/** The areas that the first page needs: the start loads them, in the language of the page alone. */

export { servers } from '../../families/servers/words.en.ts'
export { common } from './common.ts'
export { shell } from './shell.ts'
