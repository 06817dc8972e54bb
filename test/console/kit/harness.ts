/**
 * The base of the console's tests: the real server with the built console, in a real browser. A test fails when its page
 * writes an error to the console, breaks the content security policy, or asks for anything outside of this machine.
 */
import assert from 'node:assert/strict'
import { afterEach, before, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { expect as expectAtOnce } from '@playwright/test'
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { createProject } from '../../../src/kernel/access/projects.ts'
import type { Role } from '../../../src/kernel/access/roles.ts'
import { createToken } from '../../../src/kernel/access/tokens.ts'
import { timestamp } from '../../../src/kernel/process/clock.ts'
import type { ProjectId } from '../../../src/kernel/scope.ts'
import { addMember } from '../../../src/people/memberships/membership-store.ts'
import { createPerson } from '../../../src/people/person-store.ts'
import { cookieName } from '../../../src/people/sessions/cookies.ts'
import {
  type Client,
  type EngineName,
  engines,
  forEachDatabase,
  type Open,
  openForSuite,
  type World,
  type WorldOptions,
} from '../../kit/harness.ts'
import { build } from '../../run/built.ts'
import { openVisitor, patience, type Visitor } from './browsers.ts'
import { noChromium } from './chromium.ts'
import { headingOf } from './router.ts'

export const expect = expectAtOnce.configure({ timeout: patience })

/** What functions find that run in the browser. */
declare const document: {
  readonly activeElement: Focusable
  querySelectorAll(selector: string): Iterable<Focusable>
}

interface Focusable {
  readonly isConnected: boolean
  readonly tabIndex: number
  closest(selector: string): { querySelectorAll(selector: string): Iterable<Focusable> } | null
  matches(selector: string): boolean
  checkVisibility(): boolean
  /** Of it 4 says that the other comes later. */
  compareDocumentPosition(other: Focusable): number
}

export interface ConsoleOptions extends WorldOptions {
  /** The role of the person who is signed in; owner by default, null for somebody without a Project. */
  readonly role?: Role | null
  readonly isOperator?: boolean
  readonly width?: number
  readonly theme?: 'light' | 'dark'
  readonly language?: 'en' | 'de'
  /** It has the installation for itself, because it moves the clock or looks at more than its Project. */
  readonly isAlone?: boolean
}

/** A Project that no other test uses. */
interface Tenant {
  readonly project: ProjectId
  readonly name: string
  /** The API with the token of the Project, for preparing and for looking at what came of it. */
  readonly api: Client
}

export interface Console extends Tenant {
  /** The installation, which is that of other tests as well. */
  readonly world: World
  /** Who is signed in. */
  readonly person: { readonly id: number; readonly email: string }
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

/** An installation for each database, which ends with the process. */
const shared = new Map(engines.map((name) => [name, openOnce(openForSuite(name))]))

function openOnce(open: Open): () => Promise<World> {
  let world: Promise<World> | undefined
  return () => {
    world ??= open()
    return world
  }
}

/**
 * Declares tests of the console on one of the databases, which their name chooses unless only one can do it; `npm run test:console` runs each of
 * them on both. They share an installation, and each has a Project of its own there.
 */
export function forConsole(
  name: string,
  body: (open: OpenConsole) => void,
  engine = engines[crc32(name) % engines.length]!,
): void {
  if (noChromium !== undefined) {
    test(name, { skip: noChromium }, () => undefined)
    return
  }
  before(build)
  const declare = (open: Open) => {
    const opened: Opened = { visitors: [], guests: [] }
    afterEach(() => closeAll(opened))
    body((options = {}) => openConsole({ open, engine }, options, opened))
  }
  forEachDatabase(name, declare, [engine])
}

/** A Project in an installation that others use as well. */
interface Guest extends Tenant {
  readonly world: World
}

/** What a test has opened. */
interface Opened {
  readonly visitors: Visitor[]
  readonly guests: Guest[]
}

async function closeAll({ visitors, guests }: Opened): Promise<void> {
  const all = visitors.splice(0)
  await Promise.all(all.map(({ close }) => close()))
  for (const guest of guests.splice(0)) await freeZones(guest)
  for (const { check } of all) check()
}

/** Names of zones are taken for the whole installation, so the next test shall have them. */
async function freeZones({ api, world }: Guest): Promise<void> {
  await world.settle()
  const { status, body } = await api.get('/zones')
  // Some delete their Project.
  if (status === 401) return
  for (const { id, protection } of body.zones) {
    if (protection.delete) await api.post(`/zones/${id}/actions/change_protection`, { delete: false })
    // Secondary zones have none of their own.
    const { rrsets = [] } = (await api.get(`/zones/${id}/rrsets`)).body
    for (const { name, type, protection } of rrsets) {
      const path = `/zones/${id}/rrsets/${name}/${type}/actions/change_protection`
      if (protection.change) await api.post(path, { change: false })
    }
    await world.settle()
    assert.equal((await api.delete(`/zones/${id}`)).status, 201)
  }
}

async function openConsole(
  { open, engine }: { readonly open: Open; readonly engine: EngineName },
  options: ConsoleOptions,
  opened: Opened,
): Promise<Console> {
  const { role, isOperator, width, theme, language, isAlone, ...rest } = options
  const isShared = !isAlone && Object.keys(rest).length === 0
  const world = isShared ? await shared.get(engine)!() : await open(rest)
  const tenant = await newTenant(world)
  if (isShared) opened.guests.push({ ...tenant, world })
  else closeBefore(world, opened)
  const origin = new URL(world.baseUrl).origin.replace('127.0.0.1', 'localhost')
  return openFor({ world, origin, tenant, opened }, options)
}

/** Browsers go before the server that they ask. */
function closeBefore({ app }: World, { visitors }: Opened): void {
  const stop = app.stop.bind(app)
  app.stop = async () => {
    await Promise.all(visitors.map(({ close }) => close()))
    await stop()
  }
}

let tenants = 0

function newTenant(world: World): Promise<Tenant> {
  const name = `project-${++tenants}`
  return world.db.transact(async (tx) => {
    const created = timestamp(tx.now)
    const { id } = await createProject(tx, name, created)
    const token = (readOnly: boolean) => createToken(tx, { projectId: id, name: 'test', readOnly, created })
    const [readWrite] = [await token(false), await token(true)]
    return { project: id, name, api: world.client(readWrite) }
  })
}

/** A console, without whom it is for. */
interface Place {
  readonly world: World
  readonly origin: string
  readonly tenant: Tenant
  readonly opened: Opened
}

/** Opens a browser for a person of a Project. */
async function openFor(place: Place, options: ConsoleOptions): Promise<Console> {
  const { role = 'owner', isOperator = false, width = 1280, theme = 'light', language = 'en' } = options
  const { world, origin, tenant, opened } = place
  const settings = {
    viewport: { width, height: 800 },
    colorScheme: theme,
    locale: language === 'de' ? 'de-DE' : 'en-GB',
    reducedMotion: 'reduce',
  } as const
  const newcomer = async (more: BrowserContextOptions = {}) => {
    const visitor = await openVisitor(origin, { ...settings, ...more })
    opened.visitors.push(visitor)
    return visitor
  }
  const { person, secret } = await enter(world, tenant, { role, isOperator })
  const { context, page, allow } = await newcomer()
  await context.addCookies([sessionCookie(world, origin, secret)])
  const visit = async (path: string) => {
    await page.goto(`${origin}/console${path.replace(/^P/, `/projects/${tenant.project}`)}`)
    await headingOf(page).waitFor({ state: 'attached' })
  }
  const signIn = (role: Role | null) => openFor(place, { ...options, role })
  return { ...tenant, world, person, page, context, origin, visit, allow, signIn, newcomer }
}

let people = 0

/** Makes somebody who has just signed in; returns who that is, and the secret of the session. */
async function enter(
  world: World,
  { project: projectId }: Tenant,
  { role, isOperator }: { readonly role: Role | null; readonly isOperator: boolean },
) {
  const email = `person-${++people}@nordlicht.example`
  const { sessions } = world.app.people
  return world.db.transact(async (tx) => {
    const installationRole = isOperator ? 'admin' : 'none'
    const { id } = await createPerson(tx, { email, name: 'Jana Nord', installationRole, isVerified: true })
    const whence = { network: 'network:127.0.0.1', agent: 'test' }
    const secret = await sessions.start(tx, { personId: id, whence })
    if (role) await addMember(tx, { projectId }, id, role)
    return { person: { id, email }, secret }
  })
}

function sessionCookie({ app }: World, origin: string, secret: string) {
  const name = cookieName({ origin, installation: app.people.installation }, 'session')
  return {
    name,
    value: secret,
    // Chromium takes a secure cookie only from a secure page, and then also sends it to localhost.
    url: origin.replace('http:', 'https:'),
    httpOnly: true,
    secure: name.startsWith('__Host-'),
    sameSite: 'Lax' as const,
  }
}

/** Presses keys one after the other, as people do. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** Moves the focus by Tab until it is on what is wanted. */
export async function tabTo(page: Page, role: Parameters<Page['getByRole']>[0], name: string | RegExp): Promise<void> {
  await moveTo(page.getByRole(role, { name }).first(), 200)
}

/**
 * Presses Tab until the focus is on what is wanted. Finding that by its name takes longer than a key press, so it is
 * found once, and anew when the page has changed. Over a long way Tab is held down, but for the last stops.
 */
export async function moveTo(wanted: Locator, most: number): Promise<void> {
  const page = wanted.page()
  await wanted.waitFor()
  let element = await wanted.elementHandle()
  for (let steps = 0; steps < most; steps++) {
    const stops = (await element?.evaluate(stopsBefore)) ?? 'gone'
    if (stops === 0 && (await wanted.evaluate(hasFocus))) return
    if (stops === 0 || stops === 'gone' || steps % 40 === 39) element = await wanted.elementHandle()
    const held = steps === 0 && stops !== 'gone' ? stops - nearStops : 0
    if (held > 0) {
      await Promise.all(Array.from({ length: held }, () => page.keyboard.down('Tab')))
      await page.keyboard.up('Tab')
    } else await page.keyboard.press('Tab')
  }
  await expect(wanted).toBeFocused()
}

/** So many stops are made one by one, because their number is a guess. */
const nearStops = 3

/** About how many stops there are to an element from where the focus is, which is 0 on the element alone. */
function stopsBefore(wanted: Focusable): number | 'gone' {
  const { activeElement: active } = document
  if (!wanted.isConnected) return 'gone'
  if (wanted === active) return 0
  const around = wanted.closest('dialog, [role=dialog]') ?? document
  const stops = [...around.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')].filter(
    (one) =>
      one.tabIndex >= 0 && one.checkVisibility() && !one.matches(':disabled, [inert] *, [type=radio]:not(:checked)'),
  )
  const after = stops.filter((one) => (active.compareDocumentPosition(one) & 4) !== 0)
  // Of choices that nobody has made, and of what is before, the way is not known.
  return Math.max(after.indexOf(wanted) + 1, 1)
}

/** Whether an element has the focus; evaluated in the page. */
export function hasFocus(element: unknown): boolean {
  return element === document.activeElement
}
