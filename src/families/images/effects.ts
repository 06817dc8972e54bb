/** What other families may change about images inside their transaction. */
export { discardImages } from './actions.ts'
export { surplusBackups } from './domain.ts'
export { completeImage, holdImage, insertImage, lockBackups } from './store.ts'

/** Which rows count towards a Project's limit of images: not those whose data is only waiting to be removed. */
export const countedImages = { kind: 'images', table: 'image', except: 'deleted' } as const
