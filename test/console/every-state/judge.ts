/**
 * Every page of the console in every state. In both themes, wide and narrow: no violation that axe can find. In German,
 * and with English words that are 40 % longer, wide and at 320 px, and with long names and labels at five widths: nothing
 * makes the page scroll sideways, and no button cuts off what it says. Prices say that they are net.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '../../../src/kernel/access/roles.ts'
import { type Area, placesIn } from '../every-page/pages.ts'
import { findBarePrices, findGermanWords, findLongNames, findLongWords } from '../kit/fit.ts'
import { type Console, forConsole } from '../kit/harness.ts'
import { judgeLooks } from '../kit/looks.ts'
import { goTo, placesOf, settle } from '../kit/router.ts'
import { type Door, type DoorState, doorStates, openDoor } from '../states/doors.ts'
import { type PageState, states } from '../states/states.ts'

const only = process.env.WOLKE_CONSOLE_STATES?.split(',')
/** The pages that were shown, by their routes and tabs. */
const shown = new Set<string>()
/** Tests that have not passed, or not yet. */
const pending = new Set<string>()
const isWanted = ({ name }: { readonly name: string }) => !only || only.some((part) => name.startsWith(part))

/** Declares the tests of an area, whose pages all have to be shown. */
export function judgeArea(area: Area): void {
  forConsole(`states of the console: ${area}`, (open) => {
    // One Project for all states that are prepared alike, and one browser for each role: most of the time would go into
    // opening them.
    for (const [options, seen] of Map.groupBy(states[area].filter(isWanted), (state) => state.options)) {
      for (const [prepare, alike] of Map.groupBy(seen, (state) => state.prepare)) {
        const name = `${prepare?.name ?? 'an empty Project'}${options?.isOperator ? ', for operators' : ''}${options?.lab ? ', in a lab' : ''}`
        pending.add(name)
        test(name, async () => {
          const owner = await open(options)
          await prepare?.(owner)
          assert.deepEqual(await judgeAll(owner, inOrder(alike)), [])
          pending.delete(name)
        })
      }
    }

    test('each page and each of its tabs has a state', { skip: only !== undefined }, () => {
      // Where a test has failed, or runs once more alone, nothing is known of the pages of the others.
      if (pending.size > 0) return
      assert.deepEqual(
        placesIn(area).filter((place) => !shown.has(place)),
        [],
        `add states of these to states/${area}.ts`,
      )
    })
  })
}

/** Declares the tests of the pages before the console. */
export function judgeDoors(): void {
  forConsole('states before the console', (open) => {
    for (const [options, all] of doorStates) {
      const wanted = all.filter(isWanted)
      if (wanted.length === 0) continue
      test(options.isOperator ? 'with mail' : 'without mail', async () => {
        const console = await open(options)
        // Browsers report what these pages refuse, which the pages say as well.
        console.allow(/status of 4\d\d .*\/console\/(login|setup|enter|reset|invite)/)
        const door = await openDoor(console)
        const problems: string[] = []
        for (const state of wanted) await judgeDoor(door, state, problems)
        assert.deepEqual(problems, [])
      })
    }
  })
}

async function judgeAll(owner: Console, all: readonly PageState[]): Promise<readonly string[]> {
  const problems: string[] = []
  const walks = new Map<Role | null, Walk>([['owner', new Walk(owner)]])
  for (const state of all) {
    const { role = 'owner' } = state
    const walk = walks.get(role) ?? new Walk(await owner.signIn(role))
    walks.set(role, walk)
    await judge(walk, state, problems)
  }
  await judgeGerman(owner, all.filter(isJudgedInGerman), problems)
  return problems
}

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
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.setViewportSize({ width: 1280, height: 800 })
    const to = typeof path === 'string' ? path : await path(this.console)
    if (this.#isLoaded && !act) await goTo(page, to.replace(/^P/, `/projects/${project}`))
    else await visit(to)
    if (!act) await settle(page)
    for (const place of await placesOf(page)) shown.add(place)
    this.#isLoaded = !act
    await act?.(this.console)
  }
}

async function judge(walk: Walk, state: PageState, problems: string[]): Promise<void> {
  const { name, role, media, widths } = state
  const { page } = walk.console
  try {
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none', contrast: 'no-preference', ...media })
    await walk.show(state)
    await judgeLooks(page, { name, widths, isForced: media?.forcedColors !== undefined })
    problems.push(...(await page.evaluate(findBarePrices)).map((text) => `${name}: ${text}`))
    // Other roles see the same words.
    if (role !== undefined) return
    problems.push(...(await findLongWords(page)).map((text) => `${name}, longer: ${text}`))
    if (!state.act) problems.push(...(await findLongNames(page)).map((text) => `${name}, long names: ${text}`))
  } catch (error) {
    problems.push(`${name}: ${(error as Error).message}`)
  }
}

async function judgeDoor(door: Door, { name, path, act }: DoorState, problems: string[]): Promise<void> {
  const { page, origin } = door.console
  try {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1280, height: 800 })
    // A page whose address differs only in its fragment would not be loaded again.
    await page.goto('about:blank')
    await page.goto(`${origin}/console${typeof path === 'string' ? path : await path(door)}`)
    await act?.(door)
    await judgeLooks(page, { name })
    problems.push(...(await findLongWords(page)).map((text) => `${name}, longer: ${text}`))
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
