/** The router of the console, as functions find it that run in the browser. */
import type { Page } from 'playwright-core'

declare const self: {
  readonly document: { querySelector(selector: string): unknown }
  readonly __TSR_ROUTER__: {
    readonly state: { readonly status: string }
    readonly options: { readonly context: { readonly cache: { isFetching(): number } } }
    navigate(to: { readonly href: string }): Promise<void>
  }
}

/** Goes to a page, such as `/projects/1/servers`, without loading the console again. */
export async function goTo(page: Page, href: string): Promise<void> {
  await page.evaluate((href) => self.__TSR_ROUTER__.navigate({ href }), href)
}

/** Waits until a page is there and asks for nothing more. */
export async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
  await page.waitForFunction(() => {
    const { state, options } = self.__TSR_ROUTER__
    const isWhole = self.document.querySelector('[data-coming]') === null
    return isWhole && state.status === 'idle' && options.context.cache.isFetching() === 0
  })
}
