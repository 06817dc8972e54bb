/** What the tests of seeds share. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { wolkeBase } from '../../../src/kernel/contract/bases.ts'
import { LabClock } from '../../../src/lab/clock.ts'
import { manager } from '../../../src/management/proof.ts'
import type { Answer, World, WorldOptions } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'

export const labOptions = (): WorldOptions => ({
  lab: new LabClock(Date.parse('2026-11-28T12:00:00Z'), 'frozen'),
  alone: true,
})

/** Requests about seeds of a world. */
export async function seedsOf(world: World) {
  const client = await manager(world)
  const base = `${new URL(world.baseUrl).origin}${wolkeBase}`
  const projects = async (): Promise<{ id: number; name: string }[]> =>
    (await done(client.get(`${base}/projects`))).projects
  return {
    post: (body: object): Promise<Answer> => client.post(`${base}/seed`, body),
    yaml: (yaml: string): Promise<Answer> => client.post(`${base}/seed`, { yaml }),
    async export(project: string, format = 'seed'): Promise<{ text: string; left_out: string[] }> {
      const found = (await projects()).find(({ name }) => name === project)
      return done(client.get(`${base}/projects/${found!.id}/seed?format=${format}`))
    },
    projects,
  }
}

/** The bad fields that an answer names. */
export const fieldsOf = ({ body }: Answer): string[] =>
  (body.error.details?.fields ?? []).map(({ name }: { name: string }) => name)

/** A server until the test ends; returns its root. */
export async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}
