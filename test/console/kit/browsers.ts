/** The browsers of people, one for each test, in which what must not happen is noted. */
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser } from './chromium.ts'
import { type Watch, watch } from './watch.ts'

/** The end for a page that never shows what is expected, in milliseconds, however busy the machine is. */
export const patience = 300_000

/** A browser with a page. */
export interface Visitor extends Watch {
  readonly context: BrowserContext
  readonly page: Page
}

/** Opens a browser for the console at an origin. */
export async function openVisitor(origin: string, settings: BrowserContextOptions): Promise<Visitor> {
  const context = await (await openBrowser()).newContext(settings)
  context.setDefaultTimeout(patience)
  await context.addInitScript(reportViolations)
  return { ...watch(context, origin), context, page: await context.newPage() }
}

/** What functions find that run in the browser. */
declare const document: {
  addEventListener(event: 'securitypolicyviolation', told: (violation: Violation) => void): void
}

interface Violation {
  readonly violatedDirective: string
  readonly blockedURI: string
  readonly sourceFile: string
  readonly lineNumber: number
}

/** Lets the page tell what its policy refused. */
function reportViolations(): void {
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile, lineNumber }) =>
    console.error(`policy: ${violatedDirective} refused ${blockedURI} at ${sourceFile}:${lineNumber}`),
  )
}
