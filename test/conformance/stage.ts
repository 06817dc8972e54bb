/** What the promises need of a place: servers, and what they are asked for. Every action has to succeed. */
import assert from 'node:assert/strict'
import { until } from '../kit/database/bare-database.ts'
import { done } from '../kit/proof.ts'
import type { Place, Probe } from './place.ts'

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
export type Json = any

/** A path that user data of the suite writes to. */
export const toldPath = '/root/told'

/** User data that leaves a text in a file of the guest. */
export const telling = (text: string) =>
  `#cloud-config\nwrite_files:\n  - path: ${toldPath}\n    content: ${JSON.stringify(text)}\n`

/** Requests of one test, and looks at what became of them. */
export class Stage {
  readonly place: Place

  constructor(place: Place) {
    this.place = place
  }

  /** Sends a request, and waits until the actions that it started have succeeded. Returns the answer. */
  async post(path: string, body?: object): Promise<Json> {
    return this.succeed(await done(this.place.api.post(path, body)))
  }

  async delete(path: string): Promise<void> {
    await this.succeed(await done(this.place.api.delete(path)))
  }

  /** Waits until the actions of an answer have succeeded, and returns the answer. */
  async succeed(reply: Json): Promise<Json> {
    await this.place.settle()
    const actions = [reply?.action, ...(reply?.actions ?? []), ...(reply?.next_actions ?? [])].filter(Boolean)
    for (const { id } of actions) {
      const { action } = await done(this.place.api.get(`/actions/${id}`))
      assert.equal(action.status, 'success', JSON.stringify(action))
    }
    return reply
  }

  /** Makes servers at the same time, which may be logged in to, and returns them as they are shown when they run. */
  async servers(...wanted: readonly { readonly name: string; readonly [option: string]: unknown }[]): Promise<Json[]> {
    const { api, type, image, location } = this.place
    const keys = [await this.key()]
    const common = { server_type: type, image, location, ssh_keys: keys }
    const replies = await Promise.all(wanted.map((one) => done(api.post('/servers', { ...common, ...one }))))
    for (const reply of replies) await this.succeed(reply)
    const servers = await Promise.all(replies.map(({ server }) => this.server(server.id)))
    for (const { name, status } of servers) assert.equal(status, 'running', `${name} runs`)
    return servers
  }

  async server(id: number): Promise<Json> {
    return (await done(this.place.api.get(`/servers/${id}`))).server
  }

  command(server: number, name: string, body?: object): Promise<Json> {
    return this.post(`/servers/${server}/actions/${name}`, body)
  }

  /** A placement group whose servers run on different hosts. */
  async apart(): Promise<{ readonly placement_group: number }> {
    const { placement_group: group } = await this.post('/placement_groups', { name: 'apart', type: 'spread' })
    return { placement_group: group.id }
  }

  /** The id of the key of the place. */
  async key(): Promise<number> {
    const { ssh_keys: known } = await done(this.place.api.get('/ssh_keys'))
    if (known.length > 0) return known[0].id
    return (await this.post('/ssh_keys', { name: 'suite', public_key: this.place.publicKey })).ssh_key.id
  }

  // ---- Looks ------------------------------------------------------------------------------------------------------

  /** Waits until a server can be logged in to at an address. */
  async answers(address: string, name: string): Promise<void> {
    await until(async () => (await this.place.look.logIn(address)) === name, `${name} answers at ${address}`)
  }

  /** Waits until each of these gets through. */
  async arrive(...probes: readonly Probe[]): Promise<void> {
    const { look } = this.place
    await Promise.all(probes.map((probe) => until(() => look.arrives(probe), `${JSON.stringify(probe)} arrives`)))
  }

  /** Waits until none of these gets through: hosts may take a moment for what an action has brought about. */
  async vanish(...probes: readonly Probe[]): Promise<void> {
    const { look } = this.place
    const isLost = (probe: Probe) => async () => !(await look.arrives(probe))
    await Promise.all(probes.map((probe) => until(isLost(probe), `${JSON.stringify(probe)} is lost`)))
  }

  /** Two servers run on different hosts, where there are several. */
  async areApart(one: number, other: number): Promise<void> {
    const { look } = this.place
    const [first, second] = [await look.hostOf(one), await look.hostOf(other)]
    if (first !== undefined) assert.notEqual(first, second)
  }
}

export const ipv4Of = ({ public_net }: Json): string => public_net.ipv4.ip
/** The address that a server uses of its network. */
export const ipv6Of = ({ public_net }: Json): string => firstOf(public_net.ipv6.ip)
/** The first address of a /64 network, as guests give it themselves. */
export const firstOf = (network: string) => network.replace(/\/64$/, '1')

/** Probes from outside. */
export const ping = (to: string): Probe => ({ from: null, to, protocol: 'icmp' })
export const connect = (to: string, port: number): Probe => ({ from: null, to, protocol: 'tcp', port })
export const raw = (to: string, protocol: 'esp' | 'gre'): Probe => ({ from: null, to, protocol })
/** The same probe of a server. */
export const by = ({ id }: Json, probe: Probe): Probe => ({ ...probe, from: id })
