/** Every page of the console in every state, in both themes, wide and narrow: no violation that axe can find. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '../../src/kernel/access/roles.ts'
import { engines } from '../engines.ts'
import { assertAccessible, type Console, forConsole } from './harness.ts'
import { type PageState, pageStates } from './states.ts'

/** Where pictures of the states go, if they are wanted. */
const pictures = process.env.WOLKE_CONSOLE_SCREENSHOTS
const only = process.env.WOLKE_CONSOLE_STATES?.split(',')
const judged = pageStates.filter(({ name }) => !only || only.some((part) => name.startsWith(part)))

forConsole(
  'accessibility of the console',
  (open) => {
    // One installation for all states that are prepared alike, and one browser for each role: most of the time would
    // go into starting them.
    for (const [options, seen] of Map.groupBy(judged, (state) => state.options)) {
      for (const [prepare, states] of Map.groupBy(seen, (state) => state.prepare)) {
        test(`${prepare?.name ?? 'an empty Project'}${options ? ', for operators' : ''}`, async () => {
          const problems: string[] = []
          const owner = await open(options)
          await prepare?.(owner)
          const consoles = new Map<Role | null, Console>([['owner', owner]])
          for (const state of inOrder(states)) {
            const { role = 'owner' } = state
            const console = consoles.get(role) ?? (await owner.signIn(role))
            consoles.set(role, console)
            await judge(console, state).catch((error: Error) => problems.push(`${state.name}: ${error.message}`))
          }
          assert.deepEqual(problems, [])
        })
      }
    }
  },
  engines.slice(0, 1),
)

/** What is done on a page may leave something behind, so pages that are only looked at come first. */
function inOrder(states: readonly PageState[]): readonly PageState[] {
  return [...states.filter(({ act }) => !act), ...states.filter(({ act }) => act)]
}

async function judge(console: Console, { name, path, act }: PageState): Promise<void> {
  const { page } = console
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 800 })
  await console.visit(typeof path === 'string' ? path : await path(console))
  await act?.(console)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 800 })
      if (pictures) await page.screenshot({ path: `${pictures}${name}-${colorScheme}-${width}.png`, fullPage: true })
      await assertAccessible(page, colorScheme === 'light' ? 'all' : 'colors')
    }
  }
}
