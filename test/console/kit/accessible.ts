/** What axe finds on pages, best practices included. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Rules whose outcome depends on colours; all others find the same in both themes. */
const colors = ['color-contrast', 'link-in-text-block']
/** Rules about where things are and how much room they have. */
const room = ['target-size', 'scrollable-region-focusable']

const rules = {
  all: {},
  /** What a change of theme can bring. */
  colors: { runOnly: colors },
  /** What a change of theme, or less room, can bring to what is judged wholly in another look. */
  'colors and room': { runOnly: [...colors, ...room] },
  /** All that the theme has no part in. */
  structure: { rules: Object.fromEntries(colors.map((rule) => [rule, { enabled: false }])) },
} satisfies Record<string, axe.RunOptions>

export type Judged = keyof typeof rules

/** Fails for every violation of the rules. */
export async function assertAccessible(page: Page, judged: Judged = 'all'): Promise<void> {
  await inject(page)
  // Only violations are told, so axe need not describe what is in order, and there are no frames to ask.
  const options: axe.RunOptions = { preload: false, iframes: false, resultTypes: ['violations'], ...rules[judged] }
  const violations = await page.evaluate(async (options) => {
    const results = await (globalThis as unknown as { axe: typeof axe }).axe.run(options)
    return results.violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`),
    }))
  }, options)
  assert.deepEqual(violations, [])
}

/** Takes axe onto a page, whose policy refuses it in any other way. */
async function inject(page: Page): Promise<void> {
  if (await page.evaluate(() => 'axe' in globalThis)) return
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Runtime.evaluate', { expression: source })
  await devtools.detach()
}
