/**
 * Long words: every page of the console in German, and with English words that are 40 % longer, wide and at 320 px.
 * Nothing makes the page scroll sideways, and no button cuts off what it says.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { engines } from '../engines.ts'
import { type Console, forConsole } from './harness.ts'
import { type PageState, pageStates } from './states.ts'

const only = process.env.WOLKE_CONSOLE_STATES?.split(',')
const widths = [1280, 320]

/** What functions find that run in the browser. */
interface Box {
  readonly left: number
  readonly right: number
  readonly width: number
}
interface Part {
  readonly tagName: string
  readonly textContent: string
  readonly parentElement: Part | null
  readonly scrollWidth: number
  readonly clientWidth: number
  closest(selector: string): Part | null
  getBoundingClientRect(): Box
}
interface Text {
  data: string
  readonly parentElement: Part | null
}
declare const document: {
  readonly documentElement: Part & { readonly lang: string }
  readonly body: Part
  querySelectorAll(selector: string): Iterable<Part>
  createTreeWalker(root: Part, what: number): { nextNode(): Text | null }
}
declare const getComputedStyle: (part: Part) => { readonly overflowX: string; readonly visibility: string }

forConsole(
  'long words in the console',
  (open) => {
    // One installation for all states that show the same to the same: what the pages do to it does not matter here.
    for (const [options, seen] of Map.groupBy(pageStates.filter(isJudged), (state) => state.options)) {
      for (const [prepare, states] of Map.groupBy(seen, (state) => state.prepare)) {
        test(`fit: ${prepare?.name ?? 'an empty Project'}${options ? ', for operators' : ''}`, async () => {
          const problems = await judge(await open(options), states)
          assert.deepEqual(problems, [])
        })
      }
    }
  },
  engines.slice(0, 1),
)

/** Other roles see the same words. */
function isJudged({ name, role }: PageState): boolean {
  return role === undefined && (!only || only.some((part) => name.startsWith(part)))
}

async function judge(console: Console, states: readonly PageState[]): Promise<readonly string[]> {
  const problems: string[] = []
  const { page, context } = console
  await states[0]?.prepare?.(console)
  for (const state of states) {
    await show(console, state)
    await state.act?.(console)
    await lengthen(page)
    problems.push(...(await measure(page)).map((text) => `${state.name}, longer: ${text}`))
    if (state.act || state.name.endsWith('-empty')) continue
    await context.addCookies([{ name: 'wolke_language', value: 'de', url: `${console.origin}/console` }])
    await show(console, state)
    problems.push(...(await measure(page)).map((text) => `${state.name}, German: ${text}`))
    problems.push(...(await page.evaluate(findEnglish)).map((text) => `${state.name}, German: says "${text}"`))
    await context.clearCookies({ name: 'wolke_language' })
  }
  return problems
}

async function show(console: Console, { path }: PageState): Promise<void> {
  await console.page.setViewportSize({ width: 1280, height: 800 })
  await console.visit(typeof path === 'string' ? path : await path(console))
}

/** Makes each word 40 % longer, in names of resources as well. Code, addresses and what is drawn stay as they are. */
async function lengthen(page: Page): Promise<void> {
  await page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, 4)
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.parentElement?.closest('code, pre, kbd, svg, option, textarea, .mono')) continue
      text.data = text.data.replace(/\p{L}{2,}/gu, (word) => word + 'ë'.repeat(Math.ceil(word.length * 0.4)))
    }
  })
}

async function measure(page: Page): Promise<readonly string[]> {
  const problems: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    problems.push(...(await page.evaluate(findOverflow)).map((text) => `${text} at ${width} px`))
  }
  return problems
}

/** Words of the parts that all pages have: they are English where such a part is loaded before its language. */
function findEnglish(): string[] {
  const english = /^(Updated \d.*|Commands|\d+ to \d+ of \d+|\d+ a page|Copy|Cancel|Actions)$/
  const said = document.documentElement.lang === 'de' ? [] : ['no German at all']
  const texts = document.createTreeWalker(document.body, 4)
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (english.test(text.data.trim()) && !text.parentElement?.closest('code, pre, main [lang=en]'))
      said.push(text.data.trim())
  }
  return said
}

function findOverflow(): string[] {
  const { scrollWidth, clientWidth } = document.documentElement
  const problems = scrollWidth > clientWidth ? [`the page is ${scrollWidth - clientWidth} px too wide`] : []
  const isScrolled = (part: Part | null): boolean =>
    part !== null && (['auto', 'scroll'].includes(getComputedStyle(part).overflowX) || isScrolled(part.parentElement))
  for (const part of document.querySelectorAll('button, [role=button], main a, [role=tab]')) {
    const { left, right, width } = part.getBoundingClientRect()
    const said = `${part.tagName.toLowerCase()} "${part.textContent.trim().slice(0, 40)}"`
    if (width < 2 || getComputedStyle(part).visibility === 'hidden') continue
    if (part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0) problems.push(`${said} is cut off`)
    else if ((left < -1 || right > clientWidth + 1) && !isScrolled(part.parentElement)) {
      problems.push(`${said} is out of view`)
    }
  }
  return problems
}
