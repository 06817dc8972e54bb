/** What OVN's database remembers of a server: the marks of its port group. */
import type { Group } from './groups.ts'
import type { Texts } from './rows.ts'

/** Addresses that packets for a server are routed to; its user never sees them. */
export interface Internal {
  readonly ipv4: string
  readonly ipv6: string
}

/** The states of a server that have generations of their own. */
export type Kind = 'server' | 'filter' | 'routing' | 'private'

const kinds: readonly Kind[] = ['server', 'filter', 'routing', 'private']

export interface ServerRecord {
  readonly server: number
  /** The newest one seen of each state; -1 for none. */
  readonly generations: Readonly<Record<Kind, number>>
  readonly internal: Internal | null
  /** The public port, once it is known. */
  readonly side: { readonly port: string; readonly mac: string } | null
  /** Destinations of Primary and Floating IPs. */
  readonly primary: readonly string[]
  readonly floating: readonly string[]
  /** When it was removed, in ISO 8601: what is remembered then are its generations. */
  readonly gone: string | null
}

/** Load balancers are negative numbers here, since their ids may be those of servers as well. */
export const ownerOf = (server: number) => (server < 0 ? `balancer-${-server}` : `server-${server}`)

/** The server or load balancer that marks name. */
export function subjectOf(marks: Texts | undefined): number | undefined {
  const [, kind, id] = /^(server|balancer)-(\d+)$/.exec(marks?.wolke ?? '') ?? []
  if (id === undefined) return undefined
  return kind === 'balancer' ? -Number(id) : Number(id)
}

/** The server that marks name. */
export function serverOf(marks: Texts | undefined): number | undefined {
  const subject = subjectOf(marks)
  return subject === undefined || subject < 0 ? undefined : subject
}

/** Names of the groups of a server. */
export const recordGroup = (server: number) => `wolke_${ownerOf(server).replace('-', '_')}`
export const filterGroup = (server: number) => `${recordGroup(server)}_filter`

/** Stands for the port of a server in rows that come before it. */
export const unknownPort = (server: number) => `wolke-${ownerOf(server)}`

/** A server that nothing is known of. */
export function emptyRecord(server: number): ServerRecord {
  const generations = { server: -1, filter: -1, routing: -1, private: -1 }
  return { server, generations, internal: null, side: null, primary: [], floating: [], gone: null }
}

export function readRecord(server: number, { marks = {} }: Group): ServerRecord {
  const { ipv4, ipv6, port, mac, primary, floating, gone = null } = marks
  const generationOf = (kind: Kind) => Number(marks[kind] ?? -1)
  return {
    server,
    generations: Object.fromEntries(kinds.map((kind) => [kind, generationOf(kind)])) as Record<Kind, number>,
    internal: ipv4 !== undefined && ipv6 !== undefined ? { ipv4, ipv6 } : null,
    side: port !== undefined && mac !== undefined ? { port, mac } : null,
    primary: splitList(primary),
    floating: splitList(floating),
    gone,
  }
}

export function toMarks({ server, generations, internal, side, primary, floating, gone }: ServerRecord): Texts {
  const seen = kinds.filter((kind) => generations[kind] >= 0)
  return {
    wolke: ownerOf(server),
    ...Object.fromEntries(seen.map((kind) => [kind, String(generations[kind])])),
    ...(internal ?? {}),
    ...(side ?? {}),
    ...(primary.length > 0 ? { primary: primary.join(' ') } : {}),
    ...(floating.length > 0 ? { floating: floating.join(' ') } : {}),
    ...(gone === null ? {} : { gone }),
  }
}

/** Whether a state comes too late. What is removed stays so until a newer one. */
export function isStale({ generations, gone }: ServerRecord, kind: Kind, generation: number): boolean {
  return generation < generations[kind] || (gone !== null && generation === generations[kind])
}

/** The record with a state that has been seen. */
export function seen(record: ServerRecord, kind: Kind, generation: number): ServerRecord {
  return { ...record, generations: { ...record.generations, [kind]: generation }, gone: null }
}

export const splitList = (text: string | undefined) => (text ? text.split(' ') : [])
