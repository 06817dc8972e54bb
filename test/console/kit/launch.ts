/** The browser of tests and benchmarks: Debian's Chromium, or the one that $CHROMIUM names. Nothing is downloaded. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const whole = process.env.CHROMIUM ?? '/usr/bin/chromium'

/**
 * The same engine without the windows around it, which takes less than half of the time for a new context. Where it is
 * not installed, the whole browser does as well.
 */
const shell = '/usr/lib/chromium/chromium-headless-shell'

/** Why there is no browser; undefined when there is one. */
export const noBrowser = existsSync(whole) ? undefined : `there is no ${whole}; set CHROMIUM`

/** The browser of tests, which judge pages and not how long they take. */
export function launchForTests(): Promise<Browser> {
  return launchBrowser(process.env.CHROMIUM === undefined && existsSync(shell) ? shell : whole)
}

/** It reaches nothing but this machine. */
export function launchBrowser(executable = whole): Promise<Browser> {
  return chromium.launch({
    executablePath: executable,
    args: [
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1',
      // The sandbox refuses root, who runs the tests in containers.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })
}
