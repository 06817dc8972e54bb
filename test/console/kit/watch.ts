/** What must not happen in a browser, on any of its pages, and which operations of the API it drives. */
import assert from 'node:assert/strict'
import { expect } from '@playwright/test'
import type { BrowserContext, ConsoleMessage, Request } from 'playwright-core'
import { noteDriven } from './driven.ts'

export interface Watch {
  /** Says that a problem is meant to be. */
  allow(problem: RegExp): void
  /** Waits for the replies of what is being changed, and closes the browser. */
  close(): Promise<void>
  /** Fails for what happened and was not meant to. */
  check(): void
}

/** How long the reply of a change may be away when a test is over. */
const patienceMs = 10_000

export function watch(context: BrowserContext, origin: string): Watch {
  const problems: string[] = []
  const allowed: RegExp[] = []
  const changes = new Set<Promise<void>>()
  const lost = new Set<string>()
  let isClosing = false
  /** What fails while its browser goes away is nobody's mistake. */
  const note = (problem: string) => void (isClosing || problems.push(problem))
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isRefusal(message, origin))
      note(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => {
    const cause = error.error()
    note(cause.stack ?? cause.message)
  })
  context.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url())) note(`asked for ${request.url()}`)
    if (request.method() === 'GET') return
    const change = noteChange(request).finally(() => changes.delete(change))
    changes.add(change)
  })
  // Other tests give this machine addresses and networks meanwhile, which ends requests of browsers.
  context.on('requestfailed', (request) => {
    if (request.failure()?.errorText === 'net::ERR_NETWORK_CHANGED') lost.add(request.url())
  })
  return {
    allow: (problem) => void allowed.push(problem),
    async close() {
      // One that a test holds back has none.
      const isDone = expect.poll(() => changes.size, { timeout: patienceMs }).toBe(0)
      await isDone.catch(() => undefined)
      isClosing = true
      await context.close()
    },
    check: () =>
      assert.deepEqual(
        problems.filter(
          (text) => !allowed.some((one) => one.test(text)) && ![...lost].some((url) => text.includes(url)),
        ),
        [],
      ),
  }
}

/** Browsers report each refusal of the API, which pages then word; anything else that is not there is a mistake. */
function isRefusal(message: ConsoleMessage, origin: string): boolean {
  return (
    /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text()) &&
    message.location().url.startsWith(`${origin}/console/api/`)
  )
}

async function noteChange(request: Request): Promise<void> {
  const response = await request.response().catch(() => null)
  if (response?.ok()) noteDriven(request.method(), request.url())
}
