/**
 * Every page of the console in every state. In both themes, wide and narrow: no violation that axe can find. In German,
 * and with English words that are 40 % longer, wide and at 320 px: nothing makes the page scroll sideways, and no button
 * cuts off what it says.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '../../src/kernel/access/roles.ts'
import { findGermanWords, findLongWords } from './fit.ts'
import { assertAccessible, type Console, forConsole } from './harness.ts'
import { goTo, settle } from './router.ts'
import { type PageState, pageStates } from './states.ts'

/** Where pictures of the states go, if they are wanted. */
const pictures = process.env.WOLKE_CONSOLE_SCREENSHOTS
const only = process.env.WOLKE_CONSOLE_STATES?.split(',')
const judged = pageStates.filter(({ name }) => !only || only.some((part) => name.startsWith(part)))

forConsole('states of the console', (open) => {
  // One installation for all states that are prepared alike, and one browser for each role: most of the time would go
  // into starting them.
  for (const [options, seen] of Map.groupBy(judged, (state) => state.options)) {
    for (const [prepare, states] of Map.groupBy(seen, (state) => state.prepare)) {
      test(`${prepare?.name ?? 'an empty Project'}${options ? ', for operators' : ''}`, async () => {
        const problems: string[] = []
        const owner = await open(options)
        await prepare?.(owner)
        const consoles = new Map<Role | null, Walk>([['owner', new Walk(owner)]])
        for (const state of inOrder(states)) {
          const { role = 'owner' } = state
          const walk = consoles.get(role) ?? new Walk(await owner.signIn(role))
          consoles.set(role, walk)
          await judge(walk, state, problems)
        }
        await judgeGerman(owner, states.filter(isJudgedInGerman), problems)
        assert.deepEqual(problems, [])
      })
    }
  }
})

/** What is done on a page may leave something behind, so pages that are only looked at come first. */
function inOrder(states: readonly PageState[]): readonly PageState[] {
  return [...states.filter(({ act }) => !act), ...states.filter(({ act }) => act)]
}

/** Goes from state to state, and loads the console anew only where something was done on it, or will be. */
class Walk {
  readonly console: Console
  #isLoaded = false

  constructor(console: Console) {
    this.console = console
  }

  async show({ path, act }: Pick<PageState, 'path' | 'act'>): Promise<void> {
    const { page, project, visit } = this.console
    await page.setViewportSize({ width: 1280, height: 800 })
    const to = typeof path === 'string' ? path : await path(this.console)
    if (this.#isLoaded && !act) await goTo(page, to.replace(/^P/, `/projects/${project}`))
    else await visit(to)
    if (!act) await settle(page)
    this.#isLoaded = !act
    await act?.(this.console)
  }
}

async function judge(walk: Walk, state: PageState, problems: string[]): Promise<void> {
  const { name, role } = state
  const { page } = walk.console
  try {
    await page.emulateMedia({ colorScheme: 'light' })
    await walk.show(state)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of [1280, 375]) {
        await page.setViewportSize({ width, height: 800 })
        if (pictures) await page.screenshot({ path: `${pictures}${name}-${colorScheme}-${width}.png`, fullPage: true })
        await assertAccessible(page, colorScheme === 'light' ? 'all' : 'colors')
      }
    }
    // Other roles see the same words.
    if (role === undefined) problems.push(...(await findLongWords(page)).map((text) => `${name}, longer: ${text}`))
  } catch (error) {
    problems.push(`${name}: ${(error as Error).message}`)
  }
}

function isJudgedInGerman({ name, role, act }: PageState): boolean {
  return role === undefined && !act && !name.endsWith('-empty')
}

async function judgeGerman(console: Console, states: readonly PageState[], problems: string[]): Promise<void> {
  await console.context.addCookies([{ name: 'wolke_language', value: 'de', url: `${console.origin}/console` }])
  const walk = new Walk(console)
  for (const { name, path } of states) {
    await walk.show({ path })
    problems.push(...(await findGermanWords(console.page)).map((text) => `${name}, German: ${text}`))
  }
}
