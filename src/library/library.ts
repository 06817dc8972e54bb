/** The entry of the library. What a cloud is made of is loaded with the first one. */
import type * as Public from './wolke.ts'

export { WolkeError } from './error.ts'

export const startWolke: typeof Public.startWolke = async (options = {}) => {
  const { start } = await import('./start.ts')
  return start(options)
}
