/** The browser of tests and benchmarks: Debian's Chromium, or the one that $CHROMIUM names. Nothing is downloaded. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executable = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Why there is no browser; undefined when there is one. */
export const noBrowser = existsSync(executable) ? undefined : `there is no ${executable}; set CHROMIUM`

/** It reaches nothing but this machine. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: executable,
    args: [
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1',
      // The sandbox refuses root, who runs the tests in containers.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })
}
