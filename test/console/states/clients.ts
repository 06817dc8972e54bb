/** What clients do in a lab, for the page that tells of it. */

import { wolkeBase } from '../../../src/kernel/contract/bases.ts'
import { manager } from '../../../src/management/proof.ts'
import { done } from '../../kit/proof.ts'
import { ofLab } from '../../lab/report/lab.ts'
import type { Console } from '../kit/harness.ts'

/** The reports of the installation of a console. */
export async function reportsFor({ world }: Console) {
  return ofLab(await manager(world), `${new URL(world.baseUrl).origin}${wolkeBase}`)
}

/** A client that does everything that reports complain of, in a run of its own; returns the id of that. */
export async function sloppyRun(console: Console): Promise<number> {
  const { api } = console
  const reports = await reportsFor(console)
  const lost = { name: 'lost-answer', match: { operation: 'POST /placement_groups' }, fault: { reset: 'after_effect' } }
  const busy = {
    name: 'too-busy',
    match: { operation: 'GET /placement_groups' },
    fault: { error: { code: 'unavailable' } },
  }
  const rules = [lost, busy].map((rule) => ({ ...rule, when: { first: 2 } }))
  for (const rule of rules) await done(reports.client.post(`${reports.url}/faults`, rule))
  const run = await reports.begin('terraform apply, all of it')
  const subnets = [{ type: 'server', network_zone: 'eu-central', ip_range: '10.0.1.0/24', gateway: '10.0.0.1' }]
  await api.post('/networks', { name: 'old', ip_range: '10.0.0.0/16', subnets })
  const ordered = { name: 'left-over-1', server_type: 'cx23', image: 'debian-11' }
  await api.post('/servers', { ...ordered, colour: 'red' })
  const { server, action } = await done(api.post('/servers', ordered))
  for (let n = 0; n < 6; n++) await api.get(`/actions/${action.id}`)
  await api.get(`/servers/${server.id}?fields=all`)
  await api.post('/servers', { name: 'too-old', server_type: 'cx22', image: 'debian-12' })
  for (const name of ['a', 'b']) await api.post('/firewalls', { name })
  await api.get('/firewalls?per_page=1&sort=name')
  for (let n = 0; n < 2; n++)
    await api.post('/placement_groups', { name: 'apart', type: 'spread' }).catch(() => undefined)
  for (let n = 0; n < 3; n++) await api.get('/placement_groups')
  await done(reports.client.delete(`${reports.url}/faults`))
  return run
}

/** A client that is well behaved, in a run that has ended. */
export async function tidyRun(console: Console): Promise<number> {
  const { api } = console
  const reports = await reportsFor(console)
  const run = await reports.begin('the tidy one')
  const { firewall } = await done(api.post('/firewalls', { name: 'tidy' }))
  await done(api.delete(`/firewalls/${firewall.id}`))
  await reports.end(run)
  return run
}

/** Both of them. */
export async function someClients(console: Console): Promise<void> {
  await tidyRun(console)
  await sloppyRun(console)
}

/** The page about the last run of a name. */
export async function pathOfRun(console: Console, name: RegExp): Promise<string> {
  const reports = await reportsFor(console)
  const { runs } = await done(reports.client.get(`${reports.url}/runs`))
  return `/admin/report?run=${runs.findLast((run: { name: string }) => name.test(run.name)).id}`
}

/** A run in which nobody has asked for anything. */
export async function idleRun(console: Console): Promise<void> {
  await (await reportsFor(console)).begin('the idle one')
}
