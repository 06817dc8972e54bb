/** The memory of OVN's database of a server or a load balancer: the marks of its port group. */

import type { Texts } from '../../../../protocols/ovsdb/rows.ts'
import type { Group } from '../groups/groups.ts'

/** Addresses that packets for a server are routed to; its user never sees them. */
export interface Internal {
  readonly ipv4: string
  readonly ipv6: string
}

/** The kinds of what has interfaces. Each kind has ids of its own. */
export type Kind = 'server' | 'balancer'

export interface Subject {
  readonly kind: Kind
  readonly id: number
}

/** The states of a subject that have generations of their own. */
export type State = 'server' | 'filter' | 'routing' | 'private'

const states: readonly State[] = ['server', 'filter', 'routing', 'private']

export interface SubjectRecord {
  readonly subject: Subject
  /** The newest one seen of each state; -1 for none. */
  readonly generations: Readonly<Record<State, number>>
  readonly internal: Internal | null
  /** Its public interface, once that is known. */
  readonly nic: { readonly port: string; readonly mac: string } | null
  /** Destinations of Primary and Floating IPs. */
  readonly primary: readonly string[]
  readonly floating: readonly string[]
  /** The host that is kept for it alone of its placement group, as `GROUP@HOST`. */
  readonly placement: string | null
  /** The time of its removal, in ISO 8601: only its generations are remembered then. */
  readonly gone: string | null
}

/** Names a subject as marks do. */
export const ownerOf = ({ kind, id }: Subject) => `${kind}-${id}`

/** The subject that marks name. */
export function subjectOf(owner: string | undefined): Subject | undefined {
  const [, kind, id] = /^(server|balancer)-(\d+)$/.exec(owner ?? '') ?? []
  return kind === undefined ? undefined : { kind: kind as Kind, id: Number(id) }
}

/** Names of the groups of a subject. */
export const recordGroup = ({ kind, id }: Subject) => `wolke_${kind}_${id}`
export const filterGroup = ({ kind, id }: Subject) => `wolke_${kind}_${id}_filter`

/** Stands for a port in rows that come before it. */
export const unknownPort = ({ kind, id }: Subject) => `wolke-${kind}-${id}`

/** The subject whose record a group is. */
export function recordedIn({ name, marks }: Pick<Group, 'name' | 'marks'>): Subject | undefined {
  const subject = subjectOf(marks?.wolke)
  return subject && recordGroup(subject) === name ? subject : undefined
}

/** One that nothing is known of. */
export function emptyRecord(subject: Subject): SubjectRecord {
  const generations = { server: -1, filter: -1, routing: -1, private: -1 }
  return { subject, generations, internal: null, nic: null, primary: [], floating: [], placement: null, gone: null }
}

export function readRecord(subject: Subject, { marks = {} }: Pick<Group, 'marks'>): SubjectRecord {
  const { ipv4, ipv6, port, mac, primary, floating, placement = null, gone = null } = marks
  const generationOf = (state: State) => Number(marks[state] ?? -1)
  return {
    subject,
    generations: Object.fromEntries(states.map((state) => [state, generationOf(state)])) as Record<State, number>,
    internal: ipv4 !== undefined && ipv6 !== undefined ? { ipv4, ipv6 } : null,
    nic: port !== undefined && mac !== undefined ? { port, mac } : null,
    primary: splitList(primary),
    floating: splitList(floating),
    placement,
    gone,
  }
}

export function toMarks(record: SubjectRecord): Texts {
  const { subject, generations, internal, nic, primary, floating, placement, gone } = record
  const seen = states.filter((state) => generations[state] >= 0)
  return {
    wolke: ownerOf(subject),
    ...Object.fromEntries(seen.map((state) => [state, String(generations[state])])),
    ...(internal ?? {}),
    ...(nic ?? {}),
    ...(primary.length > 0 ? { primary: primary.join(' ') } : {}),
    ...(floating.length > 0 ? { floating: floating.join(' ') } : {}),
    ...(placement === null ? {} : { placement }),
    ...(gone === null ? {} : { gone }),
  }
}

/** Tells whether a state comes too late. A subject that is removed stays so until a newer one. */
export function isStale({ generations, gone }: SubjectRecord, state: State, generation: number): boolean {
  return generation < generations[state] || (gone !== null && generation === generations[state])
}

/** The record with a state that has been seen. */
export function seen(record: SubjectRecord, state: State, generation: number): SubjectRecord {
  return { ...record, generations: { ...record.generations, [state]: generation }, gone: null }
}

export const splitList = (text: string | undefined) => (text ? text.split(' ') : [])
