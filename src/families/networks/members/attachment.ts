/**
 * What can be in a network and belongs to another family. Each family says here, as a value of its own, who of it is in a
 * network and how that ends. The list of them is attachments.ts.
 */
import type { SelectQueryBuilder } from 'kysely'
import type { ActionStart } from '../../../kernel/actions/store.ts'
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import type { Scoped } from '../../../kernel/data/scoped.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Member, MemberStatus, MemberType } from './domain.ts'

export interface Occupancy {
  readonly members: number
  readonly addresses: readonly string[]
}

/** A member as a page reads it, with its address also as a number and its alias addresses as JSON. */
export interface MemberRow {
  readonly type: MemberType
  readonly id: number
  readonly ip: string
  readonly address: number
  readonly alias_ips: string
  readonly status: MemberStatus
}

export type MemberRows = SelectQueryBuilder<Record<string, MemberRow>, string, MemberRow>

export interface MemberKind {
  readonly type: MemberType
  /** Selects who is in a network, from a table with an index of its addresses. */
  rows(tables: Scoped, networkId: number): MemberRows
  /** Who is in some networks, with one read for all of them. */
  within(query: Queries, scope: ProjectScope, networkIds: readonly number[]): Promise<Member[]>
  /** Their ids alone, by network, as `packedBelow` gives them and in order; networks without anybody are missing. */
  idsWithin(query: Queries, scope: ProjectScope, networkIds: readonly number[]): Promise<ReadonlyMap<number, string>>
  /** How many are in a network that the transaction has locked, and the addresses that they have or may come back to. */
  occupancy(tx: Transaction, scope: ProjectScope, networkId: number): Promise<Occupancy>
  /** The other networks of those who are in a network. Nobody of them joins one until the transaction ends. */
  othersOf(tx: Transaction, scope: ProjectScope, networkId: number): Promise<readonly number[]>
  /** Locks those who are in a network that the transaction has locked, where they are locked before other kinds leave it. */
  hold?(tx: Transaction, scope: ProjectScope, networkId: number): Promise<void>
  /** Takes everybody out of a network that the transaction has locked; returns the actions to start. */
  leave(tx: Transaction, scope: ProjectScope, networkId: number): Promise<readonly ActionStart[]>
  /** Follows a server that joined a network, left it, or has other addresses there. */
  readdress?(tx: Transaction, scope: ProjectScope, serverId: number, networkId: number): Promise<void>
}
