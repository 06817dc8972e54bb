/** Requests that many tests make, answered or else the test fails there and then. */
import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Answer, Client, World } from './harness.ts'

/** Asserts the status; for answers of which a test needs no more than that. */
export function expect(answer: Answer, status: number, code?: string): Answer {
  assert.equal(answer.status, status, answer.text)
  if (code !== undefined) assert.equal(answer.body.error.code, code, answer.text)
  return answer
}

/** The body of a request for a server. */
export function serverBody(name: string, options: object = {}) {
  return { name, server_type: 'cpx22', image: 'debian-12', ...options }
}

/** Creates a server and returns its id; the actions run when the world runs them. */
export async function newServer(api: Client, name: string, options: object = {}): Promise<number> {
  return expect(await api.post('/servers', serverBody(name, options)), 201).body.server.id
}

/** A server without any network, which no firewall can reach. */
export const privateOnly = { public_net: { enable_ipv4: false, enable_ipv6: false }, start_after_create: false }

/** Creates a firewall and returns its id. */
export async function newFirewall(api: Client, name: string, options: object = {}): Promise<number> {
  return expect(await api.post('/firewalls', { name, ...options }), 201).body.firewall.id
}

export const toServer = (id: number) => ({ type: 'server', server: { id } })
export const toSelector = (selector: string) => ({ type: 'label_selector', label_selector: { selector } })

/** An inbound rule for one port. */
export function allow(port: string, sources: readonly string[] = ['0.0.0.0/0', '::/0']) {
  return { direction: 'in', protocol: 'tcp', port, source_ips: sources }
}

/** Runs the actions of all processes of one installation to their end, whichever of them has an action. */
export async function settleAll(...worlds: readonly World[]): Promise<void> {
  for (;;) {
    await Promise.all(worlds.map((world) => world.settle()))
    const { rows } = await sql<{ running: number }>`
      select count(*) as running from action where status = 'running'
    `.execute(worlds[0]!.db.query)
    if (Number(rows[0]?.running) === 0) return
  }
}
