/** A walk through every page: what there is to see on them, and what can be done there. */
import type { Page, Request } from 'playwright-core'
import type { Console } from '../kit/harness.ts'
import { goTo, settle } from '../kit/router.ts'
import { someBalancers } from '../states/firewalls.ts'
import { publicKey, someZones } from '../states/resources.ts'
import { boxPassword } from '../states/storage.ts'
import { everyPage, type PageOfRoute } from './pages.ts'

/** What the functions find that run in the browser. */
declare const document: { querySelectorAll(selector: string): Iterable<Control>; getElementById(id: string): Control }
interface Control {
  readonly tagName: string
  readonly textContent: string
  readonly labels?: Iterable<Control>
  matches(selector: string): boolean
  getAttribute(name: string): string | null
  checkVisibility(): boolean
}

export const pages = Object.entries(everyPage)
/** Those that ask the server for something. */
export const asking = pages.filter(([, { asksNothing }]) => !asksNothing)

/** Makes what the pages show. */
export async function something(console: Console): Promise<void> {
  const { api, world } = console
  await someBalancers(console)
  await someZones(console)
  await api.post('/zones', { name: 'import.example', mode: 'primary' })
  await api.post('/firewalls', { name: 'spare', rules: [] })
  await api.post('/networks', {
    name: 'internal',
    ip_range: '10.0.0.0/16',
    subnets: [{ type: 'cloud', network_zone: 'eu-central', ip_range: '10.0.1.0/24' }],
  })
  await api.post('/volumes', { name: 'data', size: 10, location: 'fsn1' })
  await api.post('/storage_boxes', {
    name: 'archive',
    storage_box_type: 'bx11',
    location: 'fsn1',
    password: boxPassword,
  })
  await api.post('/ssh_keys', { name: 'laptop', public_key: publicKey })
  await api.post('/placement_groups', { name: 'apart', type: 'spread' })
  await api.post('/floating_ips', { name: 'www', type: 'ipv4', home_location: 'fsn1' })
  const { body } = await api.get('/servers?name=web-1')
  await api.post(`/servers/${body.servers[0].id}/actions/create_image`, { type: 'snapshot', description: 'before' })
  await world.settle()
}

export async function pathOf({ api }: Console, { path, shows }: PageOfRoute): Promise<string> {
  if (!shows || !path.includes('{id}')) return path
  return path.replace('{id}', await idOf(api, shows))
}

/** Snapshots have a description instead of a name. */
export async function idOf(api: Console['api'], [family, name]: readonly [string, string]): Promise<string> {
  const { body } = await api.get(family === 'images' ? '/images?type=snapshot' : `/${family}?name=${name}`)
  return String(body[family][0].id)
}

/** Goes to a page without loading the console again. */
export async function go(console: Console, path: string): Promise<void> {
  const href = path.replace(/^P/, `/projects/${console.project}`)
  await goTo(console.page, href)
}

export interface Found {
  readonly name: string
  readonly isOff: boolean
  readonly reason: string
}

/** The buttons and switches in view, and links to forms. Of a form, what only fills it in does not count. */
export function controlsOf(page: Page, within: string, of: 'page' | 'form' = 'page'): Promise<readonly Found[]> {
  return page.evaluate(
    ({ within, of }) => {
      // Orders of lists and views of one thing change nothing.
      const wanted = [
        'button:not(th *, [aria-pressed])',
        '[role=menuitem]',
        '[role=switch]',
        'a[href$="/new"]',
        'a[href$="/upload"]',
      ]
      const all = [...document.querySelectorAll(wanted.map((one) => `${within} ${one}`).join())]
      const text = (ids: string | null) => (ids ?? '').split(' ').map((id) => document.getElementById(id)?.textContent)
      return all
        .filter((one) => one.checkVisibility() && !(of === 'form' && one.matches('[role=switch]')))
        .map((one) => {
          const label = [...(one.labels ?? [])].map(({ textContent }) => textContent).join(' ')
          return {
            name: one.getAttribute('aria-label') ?? (one.textContent.trim() || label.trim()),
            isOff: one.getAttribute('aria-disabled') === 'true' || one.matches(':disabled'),
            reason: text(one.getAttribute('aria-describedby')).join(' ').trim(),
          }
        })
    },
    { within, of },
  )
}

/** The controls once nothing more comes. */
export async function settledControls(page: Page, of: 'page' | 'form' = 'page'): Promise<readonly Found[]> {
  let last = ''
  for (let same = 0; ; ) {
    await settle(page)
    const found = await controlsOf(page, 'main', of)
    const text = JSON.stringify(found)
    same = text === last ? same + 1 : 0
    if (same === 2) return found
    last = text
  }
}

/** Whether a request changes something, or is for what is around all pages: who one is, and what happens. */
export function isOfFrame(request: Request): boolean {
  return request.method() !== 'GET' || /whoami|\/events|\/wolke\/v1\/projects(\?|$)/.test(request.url())
}
