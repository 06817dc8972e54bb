/** What a host is at the end of its setup. */
import { existsSync, readFileSync } from 'node:fs'
import { parseDocument } from 'yaml'
import { configFile, setupLink as linkFile } from './paths.ts'

export { isSelfSigned } from './steps/wolke.ts'

/** The URL by which users reach the API. */
export const publicUrl = (): string => String(parseDocument(readFileSync(configFile, 'utf8')).get('public-url'))

/** The link that makes the first administrator; undefined when there is one. */
export const setupLink = (): string | undefined =>
  existsSync(linkFile) ? readFileSync(linkFile, 'utf8').trim() : undefined
