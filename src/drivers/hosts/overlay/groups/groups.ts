/**
 * Port groups of ours: their marks are what is remembered of a server or a network, their rows are in force on the switch
 * of their port. Incus replaces the rows of a switch itself now and then, and knows nothing of those of our groups.
 */
import { hash } from 'node:crypto'
import type { Outcomes } from '../../../../protocols/ovsdb/database.ts'
import {
  called,
  entriesOf,
  identified,
  idsOf,
  map,
  marked,
  set,
  type Texts,
  uuid,
} from '../../../../protocols/ovsdb/rows.ts'
import type { Acl } from '../filters/matches.ts'
import { type Northbound, type NorthboundChange, type NorthboundRow, select, type Tables } from '../northbound.ts'

/** A group's name with what it remembers. */
export interface Remembered {
  /** Unique: the database refuses a second one. */
  readonly name: string
  /** Undefined while there is none. */
  readonly marks: Texts | undefined
}

export interface Group extends Remembered {
  /** In any order. */
  readonly acls: readonly Acl[]
  /** Ids of its ports. */
  readonly ports: readonly string[]
}

/** The wanted content of a group. */
export interface GroupContent {
  readonly marks: Texts
  readonly acls: readonly Acl[]
  /** The port on whose switch the rows are in force; null for rows that are to be in force nowhere. */
  readonly port: string | null
}

const table = 'Port_Group'
const columns = ['name', 'external_ids', 'acls', 'ports'] as const
const aclColumns = ['_uuid', 'direction', 'priority', 'match', 'action', 'options'] as const
type GroupRow = Pick<NorthboundRow<typeof table>, (typeof columns)[number]>
type AclRow = Pick<NorthboundRow<'ACL'>, (typeof aclColumns)[number]>

/** The groups of these names, in their order. */
export async function readGroups(database: Northbound, names: readonly string[]): Promise<Group[]> {
  const outcomes = await database.transact(names.map((name) => select(table, [called(name)], columns)))
  const rows = outcomes.map(({ rows: [row] = [] }) => row)
  const acls = await readAcls(database, rows)
  return names.map((name, index) => toGroup(rows[index], name, acls))
}

/** All groups with these marks. */
export async function findGroups(database: Northbound, marks: Texts): Promise<Group[]> {
  const rows = await database.select(table, [marked(marks)], columns)
  const acls = await readAcls(database, rows)
  return rows.map((row) => toGroup(row, row.name, acls))
}

/** Reads what all groups of ours remember. */
export async function allRemembered(database: Northbound): Promise<Remembered[]> {
  const rows = await database.select(table, [], ['name', 'external_ids'])
  return rows
    .map((row) => ({ name: row.name, marks: entriesOf(row.external_ids) }))
    .filter(({ marks }) => marks.wolke !== undefined)
}

/** Operations that read all groups. */
export const readAllGroups = [select(table, [], columns), select('ACL', [], aclColumns)] as const

/** All groups of ours, from the outcomes of `readAllGroups`. */
export function toAllGroups([groups, acls]: Outcomes<typeof readAllGroups>): Group[] {
  const byId = toAcls(acls.rows ?? [])
  return (groups.rows ?? [])
    .map((row) => toGroup(row, row.name, byId))
    .filter(({ marks }) => marks?.wolke !== undefined)
}

function toGroup(row: GroupRow | undefined, name: string, acls: ReadonlyMap<string, Acl>): Group {
  if (!row) return { name, marks: undefined, acls: [], ports: [] }
  const own = idsOf(row.acls).flatMap((id) => acls.get(id) ?? [])
  return { name, marks: entriesOf(row.external_ids), acls: own, ports: idsOf(row.ports) }
}

async function readAcls(
  database: Northbound,
  groups: readonly (GroupRow | undefined)[],
): Promise<ReadonlyMap<string, Acl>> {
  const outcomes = await database.transact(
    groups.flatMap((row) => idsOf(row?.acls)).map((id) => select('ACL', [identified(id)], aclColumns)),
  )
  return toAcls(outcomes.flatMap(({ rows = [] }) => rows))
}

const toAcls = (rows: readonly AclRow[]) => new Map(rows.map((row) => [row._uuid[1], fromRow(row)]))

/** Writes a group as a whole, unless it is so already. */
export function putGroup(change: NorthboundChange, group: Group, { marks, acls, port }: GroupContent): void {
  const ports = port === null ? [] : [port]
  const wanted = { ...marks, rows: digestOf({ acls, ports }) }
  if (sameTexts(group.marks, wanted) && isAsWritten(group)) return
  expectGroup(change, group)
  const rows = acls.map((acl) => change.insert('ACL', toRow(acl, marks)))
  const row = { external_ids: map(wanted), acls: set(rows), ports: set(ports.map(uuid)) }
  if (group.marks) change.update(table, [called(group.name)], row)
  else change.insert(table, { name: group.name, ...row })
}

/** Tells whether nobody else has changed what is in force. */
export function isAsWritten(group: Group): boolean {
  return digestOf(group) === (group.marks?.rows ?? digestOf({ acls: [], ports: [] }))
}

function digestOf({ acls, ports }: Pick<Group, 'acls' | 'ports'>): string {
  const rows = acls.map(({ direction, priority, match, action, isSecond = false }) =>
    JSON.stringify([direction, priority, match, action, isSecond]),
  )
  return hash('sha256', JSON.stringify([rows.toSorted(), ports.toSorted()])).slice(0, 16)
}

/** Writes what is remembered, and leaves alone what is in force. */
export function putMarks(change: NorthboundChange, group: Remembered, marks: Texts): void {
  const { rows } = group.marks ?? {}
  const wanted = rows === undefined ? marks : { ...marks, rows }
  if (sameTexts(group.marks, wanted)) return
  expectGroup(change, group)
  if (group.marks) change.update(table, [called(group.name)], { external_ids: map(wanted) })
  else change.insert(table, { name: group.name, external_ids: map(wanted) })
}

export function deleteGroup(change: NorthboundChange, group: Remembered): void {
  if (!group.marks) return
  expectGroup(change, group)
  change.delete(table, [called(group.name)])
}

/** Gives up when the group is another one than it was when it was read. */
export function expectGroup(change: NorthboundChange, { name, marks }: Remembered): void {
  change.expect(table, [called(name)], ['external_ids'], marks ? [{ external_ids: map(marks) }] : [])
}

function toRow({ direction, priority, match, action, isSecond = false }: Acl, { wolke = '' }: Texts): Tables['ACL'] {
  const options = map(isSecond ? { 'apply-after-lb': 'true' } : {})
  return { direction, priority, match, action, options, external_ids: map({ wolke }) }
}

function fromRow({ direction, priority, match, action, options }: AclRow): Acl {
  const isSecond = entriesOf(options)['apply-after-lb'] === 'true'
  return { direction, priority, match, action, isSecond } as Acl
}

/** Tells whether texts are the same under the same keys. */
export function sameTexts(one: Texts | undefined, other: Texts): boolean {
  const keys = Object.keys(one ?? {})
  return keys.length === Object.keys(other).length && keys.every((key) => one?.[key] === other[key])
}
