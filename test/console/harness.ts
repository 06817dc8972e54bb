/**
 * The base of the console's tests: the real server with the built console, in a real browser. A test fails when its page
 * writes an error to the console, breaks the content security policy, or asks for anything outside of this machine.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { afterEach, before, test } from 'node:test'
import { expect as expectAtOnce } from '@playwright/test'
import axe from 'axe-core'
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import type { Role } from '../../src/kernel/access/roles.ts'
import type { ProjectId } from '../../src/kernel/scope.ts'
import { cookieName } from '../../src/people/cookies.ts'
import { addMember } from '../../src/people/membership-store.ts'
import { createPerson } from '../../src/people/person-store.ts'
import { type Client, forDatabasesInTurn, type Open, type World, type WorldOptions } from '../harness.ts'
import { closeBrowser, noChromium, openBrowser } from './chromium.ts'
import { headingOf } from './router.ts'
import { type Watch, watch } from './watch.ts'

/** How long a page may take to show what is expected, in milliseconds: the machine has other tests to run as well. */
const patience = 30_000
export const expect = expectAtOnce.configure({ timeout: patience })

/** What functions find that run in the browser. */
declare const document: {
  readonly activeElement: unknown
  addEventListener(event: 'securitypolicyviolation', told: (violation: Violation) => void): void
}

interface Violation {
  readonly violatedDirective: string
  readonly blockedURI: string
  readonly sourceFile: string
  readonly lineNumber: number
}

export interface ConsoleOptions extends WorldOptions {
  /** The role of the person who is signed in; owner by default, null for somebody without a Project. */
  readonly role?: Role | null
  readonly isOperator?: boolean
  readonly width?: number
  readonly theme?: 'light' | 'dark'
  readonly language?: 'en' | 'de'
}

export interface Console {
  readonly world: World
  /** The API with the token of the Project, for preparing and for looking at what came of it. */
  readonly api: Client
  readonly project: number
  readonly page: Page
  readonly context: BrowserContext
  readonly origin: string
  /** Opens a page of the console: `/projects/1/servers`; a path that begins with `P` is of the Project. */
  visit(path: string): Promise<void>
  /** Says that an error in the browser's console is meant to be. */
  allow(problem: RegExp): void
  /** The console of the same installation in the browser of somebody else. */
  signIn(role: Role | null): Promise<Console>
  /** A page of another browser, in which nobody has signed in. */
  newcomer(options?: BrowserContextOptions): Promise<Pick<Console, 'page' | 'allow'>>
}

export type OpenConsole = (options?: ConsoleOptions) => Promise<Console>

/** Declares tests of the console, on both databases in turn; `npm run test:console` runs each of them on both. */
export function forConsole(name: string, body: (open: OpenConsole) => void): void {
  if (noChromium !== undefined) {
    test(name, { skip: noChromium }, () => undefined)
    return
  }
  before(() => {
    // Builds nothing when nothing has changed.
    execFileSync(process.execPath, ['build.mjs'], { cwd: new URL('../..', import.meta.url), stdio: 'inherit' })
  })
  forDatabasesInTurn(name, (open) => {
    const opened: Watch[] = []
    afterEach(async () => {
      const all = opened.splice(0)
      await Promise.all(all.map(({ close }) => close()))
      for (const { check } of all) check()
    })
    body((options = {}) => openConsole(open, options, opened))
  })
}

async function openConsole(open: Open, options: ConsoleOptions, opened: Watch[]): Promise<Console> {
  const { role, isOperator, width, theme, language, ...rest } = options
  return openFor(await open(rest), options, opened)
}

/** Opens a browser for a person of a world. */
async function openFor(world: World, options: ConsoleOptions, opened: Watch[]): Promise<Console> {
  const { role = 'owner', isOperator = false, width = 1280, theme = 'light', language = 'en' } = options
  const origin = new URL(world.baseUrl).origin.replace('127.0.0.1', 'localhost')
  const { project } = (await world.api.get('/../wolke/v1/whoami')).body.whoami
  const settings = {
    viewport: { width, height: 800 },
    colorScheme: theme,
    locale: language === 'de' ? 'de-DE' : 'en-GB',
    reducedMotion: 'reduce',
  } as const
  const { context, watched } = await openContext(world, origin, settings, opened)
  await context.addCookies([await sessionCookie(world, origin, project.id, { role, isOperator })])
  const page = await context.newPage()
  const visit = async (path: string) => {
    await page.goto(`${origin}/console${path.replace(/^P/, `/projects/${project.id}`)}`)
    await headingOf(page).waitFor({ state: 'attached' })
  }
  const signIn = (role: Role | null) => openFor(world, { ...options, role }, opened)
  const newcomer = async (options: BrowserContextOptions = {}) => {
    const { context, watched } = await openContext(world, origin, { ...settings, ...options }, opened)
    return { page: await context.newPage(), allow: watched.allow }
  }
  const { allow } = watched
  return { world, api: world.api, project: project.id, page, context, origin, visit, allow, signIn, newcomer }
}

/** A browser of its own, which is watched and goes before the server that it asks. */
async function openContext(world: World, origin: string, settings: BrowserContextOptions, opened: Watch[]) {
  const context = await (await openBrowser()).newContext(settings)
  context.setDefaultTimeout(patience)
  await context.addInitScript(reportViolations)
  const watched = watch(context, origin)
  opened.push(watched)
  const { app } = world
  const stop = app.stop.bind(app)
  app.stop = () => watched.close().then(stop)
  return { context, watched }
}

/** Lets the page tell what its policy refused. */
function reportViolations(): void {
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile, lineNumber }) =>
    console.error(`policy: ${violatedDirective} refused ${blockedURI} at ${sourceFile}:${lineNumber}`),
  )
}

let people = 0

/** The cookie of somebody who has just signed in. */
async function sessionCookie(
  world: World,
  origin: string,
  projectId: ProjectId,
  { role, isOperator }: { readonly role: Role | null; readonly isOperator: boolean },
) {
  const { installation, sessions } = world.app.people
  const secret = await world.db.transact(async (tx) => {
    const email = `person-${++people}@nordlicht.example`
    const installationRole = isOperator ? 'admin' : 'none'
    const person = await createPerson(tx, { email, name: 'Jana Nord', installationRole, isVerified: true })
    const whence = { network: 'network:127.0.0.1', agent: 'test' }
    const secret = await sessions.start(tx, { personId: person.id, whence })
    if (role) await addMember(tx, { projectId }, person.id, role)
    return secret
  })
  const name = cookieName({ origin, installation }, 'session')
  // Chromium takes a secure cookie only from a secure page, and then also sends it to localhost.
  const url = origin.replace('http:', 'https:')
  return {
    name,
    value: secret,
    url,
    httpOnly: true,
    secure: name.startsWith('__Host-'),
    sameSite: 'Lax' as const,
  }
}

/** Rules of axe whose outcome depends on colours; all others find the same in both themes. */
const colorRules = ['color-contrast', 'link-in-text-block']

/**
 * Fails for every violation that axe finds, best practices included; or for those that a change of theme can bring; or
 * for all others, where the colours are those of the system.
 */
export async function assertAccessible(page: Page, judged: 'all' | 'colors' | 'structure' = 'all'): Promise<void> {
  await injectAxe(page)
  // Only violations are told, so axe need not describe what is in order.
  const options: axe.RunOptions = {
    preload: false,
    resultTypes: ['violations'],
    ...(judged === 'colors' && { runOnly: colorRules }),
    ...(judged === 'structure' && { rules: Object.fromEntries(colorRules.map((rule) => [rule, { enabled: false }])) }),
  }
  const violations = await page.evaluate(async (options) => {
    const results = await (globalThis as unknown as { axe: typeof axe }).axe.run(options)
    return results.violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`),
    }))
  }, options)
  assert.deepEqual(violations, [])
}

async function injectAxe(page: Page): Promise<void> {
  if (await page.evaluate(() => 'axe' in globalThis)) return
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Runtime.evaluate', { expression: axe.source })
  await devtools.detach()
}

/** Presses keys one after the other, as people do. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** Moves the focus by Tab until it is on what is wanted. */
export async function tabTo(page: Page, role: Parameters<Page['getByRole']>[0], name: string | RegExp): Promise<void> {
  await moveTo(page.getByRole(role, { name }).first(), 'Tab', 200)
}

/**
 * Presses a key until the focus is on what is wanted. Finding that by its name takes longer than a key press, so it is
 * found once, and anew when the page has changed.
 */
export async function moveTo(wanted: Locator, key: string, most: number): Promise<void> {
  const page = wanted.page()
  await wanted.waitFor()
  let element = await wanted.elementHandle()
  for (let steps = 0; steps < most; steps++) {
    const where = await element?.evaluate((one) => {
      if (!one.isConnected) return 'gone'
      return one === document.activeElement ? 'here' : 'elsewhere'
    })
    if (where === 'here' && (await wanted.evaluate(hasFocus))) return
    if (where !== 'elsewhere' || steps % 40 === 39) element = await wanted.elementHandle()
    await page.keyboard.press(key)
  }
  await expect(wanted).toBeFocused()
}

function hasFocus(element: unknown): boolean {
  return element === document.activeElement
}

export { closeBrowser }
