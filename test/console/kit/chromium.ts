/** The browser of the console's tests, one for a process. */
import { after } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchForTests, noBrowser } from './launch.ts'

/** Why the tests cannot run here; undefined when they can. In CI a missing browser fails the tests instead. */
export const noChromium = process.env.CI === 'true' ? undefined : noBrowser

let launched: Promise<Browser> | undefined

export function openBrowser(): Promise<Browser> {
  launched ??= launchForTests()
  return launched
}

export async function closeBrowser(): Promise<void> {
  await launched?.then((browser) => browser.close())
  launched = undefined
}

after(closeBrowser)
