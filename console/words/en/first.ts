/** The areas that the first page needs: the start loads them, in the language of the page alone. */
export { common } from './common.ts'
export { servers } from './servers.ts'
export { shell } from './shell.ts'
