/** The router of the console, as functions find it that run in the browser. */
import type { Locator, Page } from 'playwright-core'

declare const self: {
  readonly document: { querySelector(selector: string): unknown }
  readonly __TSR_ROUTER__: {
    readonly state: {
      readonly status: string
      readonly matches: readonly { readonly fullPath: string; readonly params: { readonly tab?: string } }[]
    }
    readonly routesById: Readonly<
      Record<string, { readonly fullPath: string; readonly options: { readonly component?: unknown } }>
    >
    readonly options: { readonly context: { readonly cache: { isFetching(): number } } }
    navigate(to: { readonly href: string }): Promise<void>
  }
}

/** Goes to a page, such as `/projects/1/servers`, without loading the console again. */
export async function goTo(page: Page, href: string): Promise<void> {
  await page.evaluate((href) => self.__TSR_ROUTER__.navigate({ href }), href)
}

/** Sets out for a page, which may not come. */
export async function begin(page: Page, href: string): Promise<void> {
  await page.evaluate((href) => void self.__TSR_ROUTER__.navigate({ href }), href)
}

/** The title of the page that is open; one that is still loading has only the name of where it is. */
export function headingOf(page: Page): Locator {
  return page.locator('h1:not([data-coming] *)')
}

/** Waits until a page is there and asks for nothing more. */
export async function settle(page: Page): Promise<void> {
  await headingOf(page).waitFor({ state: 'attached' })
  await page.waitForFunction(() => {
    const { state, options } = self.__TSR_ROUTER__
    const isWhole = self.document.querySelector('[data-coming]') === null
    return isWhole && state.status === 'idle' && options.context.cache.isFetching() === 0
  })
}

/** The routes of all pages, such as `/projects/$project/servers`. */
export function routesOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    Object.values(self.__TSR_ROUTER__.routesById)
      .filter(({ options, fullPath }) => options.component && fullPath)
      .map(({ fullPath }) => fullPath),
  )
}

/** The route of the open page, and with its tab where that is in the address. */
export function placesOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const { fullPath = '', params } = self.__TSR_ROUTER__.state.matches.at(-1) ?? {}
    return params?.tab ? [fullPath, `${fullPath} ${params.tab}`] : [fullPath]
  })
}
