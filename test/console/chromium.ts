/** The browser of the console's tests: Debian's Chromium, or the one that $CHROMIUM names. Nothing is downloaded. */
import { existsSync } from 'node:fs'
import { after } from 'node:test'
import { type Browser, chromium } from 'playwright-core'

const executable = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Why the tests cannot run here; undefined when they can. In CI a missing browser fails the tests instead. */
export const noChromium =
  existsSync(executable) || process.env.CI === 'true' ? undefined : `there is no ${executable}; set CHROMIUM`

let launched: Promise<Browser> | undefined

/** One browser for a process. It reaches nothing but this machine. */
export function openBrowser(): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath: executable,
    args: [
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1',
      // The sandbox refuses root, who runs the tests in containers.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })
  return launched
}

export async function closeBrowser(): Promise<void> {
  await launched?.then((browser) => browser.close())
  launched = undefined
}

after(closeBrowser)
