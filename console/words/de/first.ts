/** The areas that the first page needs, as in English. */

export { servers } from '../../families/servers/words.de.ts'
export { common } from './common.ts'
export { shell } from './shell.ts'
