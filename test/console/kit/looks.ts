/** How a page looks to people who see it differently: in both themes, wide and narrow. */
import type { Page } from 'playwright-core'
import { assertAccessible, type Judged } from './accessible.ts'

/** Where pictures go, if they are wanted. */
const pictures = process.env.WOLKE_CONSOLE_SCREENSHOTS

export interface Looks {
  /** Names the pictures; without it there are none. */
  readonly name?: string
  /** Where it can be seen at all; all widths by default. */
  readonly widths?: readonly number[] | undefined
  /** Whether the system chooses the colours. */
  readonly isForced?: boolean
}

/**
 * Judges what is on a page: all that axe knows where it is wide and light, and otherwise what less room or another theme can
 * change. Structure where it is narrow is judged for every page, if not in every state (`judgeInShort`).
 */
export async function judgeLooks(page: Page, { name, widths = [1280, 375], isForced }: Looks = {}): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const [place, width] of widths.entries()) {
      await page.setViewportSize({ width, height: 800 })
      if (pictures && name) {
        await page.screenshot({ path: `${pictures}${name}-${colorScheme}-${width}.png`, fullPage: true })
      }
      const judged = colorScheme === 'dark' ? 'colors' : place === 0 ? 'all' : 'colors and room'
      await assertAccessible(page, isForced ? 'structure' : judged)
    }
  }
}

/**
 * Judges what is much the same on many pages, which other tests judge in all looks: wholly where it is narrow and light,
 * and where it is wide and dark what these can change.
 */
export async function judgeInShort(page: Page): Promise<void> {
  const looks: readonly (readonly ['light' | 'dark', number, Judged])[] = [
    ['light', 375, 'all'],
    ['dark', 1280, 'colors and room'],
  ]
  for (const [colorScheme, width, judged] of looks) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    await assertAccessible(page, judged)
  }
}
