/** What tests of reports ask of a lab. */
import { wolkeBase } from '../../../src/kernel/contract/bases.ts'
import { LabClock } from '../../../src/lab/clock.ts'
import type { Report } from '../../../src/lab/report/schema.ts'
import { manager } from '../../../src/management/proof.ts'
import type { Client, World } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'

export const start = Date.parse('2026-11-28T12:00:00Z')
export const frozen = () => ({ lab: new LabClock(start, 'frozen'), alone: true }) as const

/** The reports of a world. */
export async function reportsOf(world: World) {
  return ofLab(await manager(world), `${new URL(world.baseUrl).origin}${wolkeBase}`)
}

/** The reports of the cloud whose own API is at a URL. */
export function ofLab(client: Client, url: string) {
  return {
    client,
    url,
    begin: async (name = 'a run'): Promise<number> => (await done(client.post(`${url}/runs`, { name }))).run.id,
    end: (id: number) => done(client.post(`${url}/runs/${id}/end`)),
    whole: async (query = ''): Promise<Report> => (await done(client.get(`${url}/report${query}`))).report,
    of: async (id: number): Promise<Report> => (await done(client.get(`${url}/runs/${id}/report`))).report,
    har: (id: number) => done(client.get(`${url}/runs/${id}/har`)),
    advance: (by: string) => done(client.post(`${url}/clock/advance`, { by })),
  }
}
