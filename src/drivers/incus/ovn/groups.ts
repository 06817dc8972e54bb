/**
 * Port groups of ours: their marks are what is remembered of a server or a network, their rows are in force on the switch
 * of their port. Incus replaces the rows of a switch itself now and then, and knows nothing of those of our groups.
 */
import { hash } from 'node:crypto'
import type { Change } from './change.ts'
import type { Database } from './database.ts'
import type { Acl } from './matches.ts'
import { called, entriesOf, idsOf, map, marked, type Row, set, type Texts, uuid } from './rows.ts'

export interface Group {
  /** Unique: the database refuses a second one. */
  readonly name: string
  /** Undefined while there is none. */
  readonly marks: Texts | undefined
  /** Ids of its rows. */
  readonly acls: readonly string[]
  /** Ids of its ports. */
  readonly ports: readonly string[]
}

/** What a group is to be. */
export interface GroupContent {
  readonly marks: Texts
  readonly acls: readonly Acl[]
  /** The port on whose switch the rows are in force; null for rows that are to be in force nowhere. */
  readonly port: string | null
}

const table = 'Port_Group'
const columns = ['name', 'external_ids', 'acls', 'ports']

/** The groups of these names, in their order. */
export async function readGroups(database: Database, names: readonly string[]): Promise<Group[]> {
  const outcomes = await database.transact(
    names.map((name) => ({ op: 'select', table, where: [called(name)], columns })),
  )
  return names.map((name, index) => toGroup(outcomes[index]?.rows?.[0], name))
}

/** All groups with these marks. */
export async function findGroups(database: Database, marks: Texts): Promise<Group[]> {
  const rows = await database.select(table, [marked(marks)], columns)
  return rows.map((row) => toGroup(row, String(row.name)))
}

/** All groups of ours. */
export async function allGroups(database: Database): Promise<Group[]> {
  const rows = await database.select(table, [], columns)
  return rows.map((row) => toGroup(row, String(row.name))).filter(({ marks }) => marks?.wolke !== undefined)
}

function toGroup(row: Row | undefined, name: string): Group {
  if (!row) return { name, marks: undefined, acls: [], ports: [] }
  return { name, marks: entriesOf(row.external_ids), acls: idsOf(row.acls), ports: idsOf(row.ports) }
}

/** What the rows of a group say. */
export async function readAcls(database: Database, { acls }: Group): Promise<Acl[]> {
  const outcomes = await database.transact(
    acls.map((id) => ({
      op: 'select',
      table: 'ACL',
      where: [['_uuid', '==', uuid(id)]],
      columns: ['direction', 'priority', 'match', 'action', 'options'],
    })),
  )
  return outcomes.flatMap(({ rows = [] }) => rows.map(fromRow))
}

/** Writes a group as a whole, unless it is so already. */
export function putGroup(change: Change, group: Group, { marks, acls, port }: GroupContent): void {
  const ports = port === null ? [] : [port]
  const wanted = { ...marks, rows: hash('sha256', JSON.stringify(acls)).slice(0, 16) }
  const isSame = group.acls.length === acls.length && String(group.ports) === String(ports)
  if (isSame && sameTexts(group.marks, wanted)) return
  expectGroup(change, group)
  const rows = acls.map((acl) => change.insert('ACL', toRow(acl, marks)))
  const row = { external_ids: map(wanted), acls: set(rows), ports: set(ports.map(uuid)) }
  if (group.marks) change.update(table, [called(group.name)], row)
  else change.insert(table, { name: group.name, ...row })
}

/** Writes what is remembered, and leaves alone what is in force. */
export function putMarks(change: Change, group: Group, marks: Texts): void {
  const { rows } = group.marks ?? {}
  const wanted = rows === undefined ? marks : { ...marks, rows }
  if (sameTexts(group.marks, wanted)) return
  expectGroup(change, group)
  if (group.marks) change.update(table, [called(group.name)], { external_ids: map(wanted) })
  else change.insert(table, { name: group.name, external_ids: map(wanted) })
}

export function deleteGroup(change: Change, group: Group): void {
  if (!group.marks) return
  expectGroup(change, group)
  change.delete(table, [called(group.name)])
}

/** Gives up when the group is another one than it was when it was read. */
export function expectGroup(change: Change, { name, marks }: Group): void {
  change.expect(table, [called(name)], ['external_ids'], marks ? [{ external_ids: map(marks) }] : [])
}

function toRow({ direction, priority, match, action, isSecond = false }: Acl, { wolke = '' }: Texts): Row {
  const options = map(isSecond ? { 'apply-after-lb': 'true' } : {})
  return { direction, priority, match, action, options, external_ids: map({ wolke }) }
}

function fromRow({ direction, priority, match, action, options }: Row): Acl {
  const isSecond = entriesOf(options)['apply-after-lb'] === 'true'
  return { direction, priority, match, action, isSecond } as Acl
}

function sameTexts(one: Texts | undefined, other: Texts): boolean {
  const keys = Object.keys(one ?? {})
  return keys.length === Object.keys(other).length && keys.every((key) => one?.[key] === other[key])
}
