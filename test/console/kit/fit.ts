/** What goes wrong with words of another language: that they need more room, or that some are still English. */
import type { Page } from 'playwright-core'

const widths = [1280, 320]
/** Names and labels are judged at more of them, because tables leave columns out at some. */
const tableWidths = [1280, 1024, 768, 375, 320]

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
declare const requestAnimationFrame: (then: (time: number) => void) => void
declare const getComputedStyle: (part: Part) => { readonly overflowX: string; readonly visibility: string }

/** What does not fit in English, once each word is 40 % longer, in names of resources as well. */
export async function findLongWords(page: Page): Promise<readonly string[]> {
  const changed = await page.evaluateHandle(lengthen)
  const problems = await findMisfits(page)
  await changed.evaluate((texts) => {
    for (const { text, before } of texts) text.data = before
  })
  return problems
}

/** What does not fit on a page as it is, what is not said in German, and prices that do not say that they are net. */
export async function findGermanWords(page: Page): Promise<readonly string[]> {
  return [...(await findMisfits(page)), ...(await page.evaluate(findEnglish)), ...(await page.evaluate(findBarePrices))]
}

/** Code, addresses and what is drawn stay as they are. */
function lengthen() {
  const changed: { readonly text: Text; readonly before: string }[] = []
  const texts = document.createTreeWalker(document.body, 4)
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (text.parentElement?.closest('code, pre, kbd, svg, option, textarea, .mono')) continue
    changed.push({ text, before: text.data })
    text.data = text.data.replace(/\p{L}{2,}/gu, (word) => word + 'ë'.repeat(Math.ceil(word.length * 0.4)))
  }
  return changed
}

/** What does not fit once names in tables and headings have 41 letters without a break, and labels 60. */
export async function findLongNames(page: Page): Promise<readonly string[]> {
  const changed = await page.evaluateHandle(renameAll)
  const problems = await findMisfits(page, tableWidths)
  await changed.evaluate((texts) => {
    for (const { text, before } of texts) text.data = before
  })
  return problems
}

function renameAll() {
  const changed: { readonly text: Text; readonly before: string }[] = []
  const texts = document.createTreeWalker(document.body, 4)
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const isLabel = text.parentElement?.closest('main [title*="="]') != null
    const isName = text.parentElement?.closest('main h1, main td a, main td b') != null
    if (text.data.trim() === '' || (!isLabel && !isName)) continue
    changed.push({ text, before: text.data })
    // Of a label both its key and its value.
    text.data = isLabel ? 'l'.repeat(30) : 'Nordlicht'.repeat(5).slice(0, 41)
  }
  return changed
}

/** Amounts of money in whose card, list entry or dialog nothing says that they are without VAT. */
export function findBarePrices(): string[] {
  const said: string[] = []
  const texts = document.createTreeWalker(document.body, 4)
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (!/€\s?\d|\d\s?€/.test(text.data)) continue
    const around = text.parentElement?.closest('section, aside, li, [role=dialog], main')
    if (!/excl\. VAT|ohne USt\./.test(around?.textContent ?? ''))
      said.push(`"${text.data}" does not say that it is net`)
  }
  return said
}

async function findMisfits(page: Page, judged: readonly number[] = widths): Promise<readonly string[]> {
  const problems: string[] = []
  for (const width of judged) {
    await page.setViewportSize({ width, height: 800 })
    await page.evaluate(isDrawn)
    problems.push(...(await page.evaluate(findOverflow)).map((text) => `${text} at ${width} px`))
  }
  return problems
}

/** What is placed beside something else follows it in the frame after the next. */
function isDrawn(): Promise<unknown> {
  return new Promise((resolve) =>
    requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
}

/** Words of the parts that all pages have: they are English where such a part is loaded before its language. */
function findEnglish(): string[] {
  const english = /^(Updated \d.*|Commands|\d+ to \d+ of \d+|\d+ a page|Copy|Cancel|Actions)$/
  const said = document.documentElement.lang === 'de' ? [] : ['no German at all']
  const texts = document.createTreeWalker(document.body, 4)
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (english.test(text.data.trim()) && !text.parentElement?.closest('code, pre, main [lang=en]'))
      said.push(`says "${text.data.trim()}"`)
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
