/** The areas that the first page needs, as in English. */
export { common } from './common.ts'
export { servers } from './servers.ts'
export { shell } from './shell.ts'
