/**
 * The console in Chromium, against a server with 10,000 servers in its Project: how soon pages are there, how fast they
 * answer, and what they cost the server.
 */
import { copyFileSync } from 'node:fs'
import { launchBrowser, noBrowser } from '../test/console/launch.ts'
import { loads, longList, navigations, slowLoad } from './console-pages.ts'
import { idleStreams, progress, residentCost } from './console-server.ts'
import { sizes } from './console-sizes.ts'
import { filledServers, pools } from './fill-servers.ts'
import { type Running, token, type Workshop } from './processes.ts'
import type { Row } from './report.ts'
import type { Effort } from './rounds.ts'

const count = 10_000

/** A server with its console, signed in. */
export interface Site {
  readonly server: Running
  /** The console's address under a name for which browsers keep secure cookies. */
  readonly origin: string
  /** Of Project default. */
  readonly project: number
  /** Signs in; returns the cookie of a new session. */
  signIn(): Promise<{ readonly name: string; readonly value: string }>
}

export async function consolePages(workshop: Workshop, effort: Effort): Promise<Row[]> {
  if (noBrowser !== undefined) throw new Error(noBrowser)
  const path = workshop.file('servers.db')
  copyFileSync(await filledServers(workshop, count), path)
  const before = await restingMb(workshop, path)
  const site = await open(workshop, path)
  const browser = await launchBrowser()
  workshop.keep(() => browser.close())
  const rows: Row[] = await sizes()
  for (const step of [loads, slowLoad, navigations, longList, progress]) {
    console.error(`  ${step.name} ...`)
    rows.push(...(await step(browser, site, effort)))
  }
  return [...rows, ...(await idleStreams(site, effort)), residentCost(before, site)]
}

export async function open(workshop: Workshop, path: string): Promise<Site> {
  // An action takes a while, so that its progress is seen.
  const server = await workshop.serve(`sqlite:${path}`, { more: [...pools, '--action-delay', '1500'] })
  const origin = server.url.replace('127.0.0.1', 'localhost')
  const known = await fetch(`${server.url}/wolke/v1/whoami`, { headers: { authorization: `Bearer ${token}` } })
  const { whoami } = (await known.json()) as { whoami: { project: { id: number } } }
  return { server, origin, project: whoami.project.id, signIn: () => signIn(origin) }
}

async function signIn(origin: string) {
  const response = await fetch(`${origin}/console/login/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
    body: new URLSearchParams({ token }),
    redirect: 'manual',
  })
  const [cookie = ''] = response.headers.getSetCookie().filter((one) => !/Max-Age=0/i.test(one))
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(cookie) ?? []
  if (name === undefined || value === undefined) throw new Error(`signing in was answered with ${response.status}`)
  return { name, value }
}

/** Memory after lists were read over the API, by a server whose console nobody opens. */
async function restingMb(workshop: Workshop, path: string): Promise<number> {
  const server = await workshop.serve(`sqlite:${path}`, { more: pools })
  const generate = workshop.generator()
  await generate({ url: `${server.url}/v1/servers`, method: 'GET', connections: 4, seconds: 3 })
  const resident = server.residentMb()
  await server.stop()
  return resident
}
