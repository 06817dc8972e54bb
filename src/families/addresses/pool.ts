/**
 * Public addresses: each has one owner, and none is refused while one is free. Rows stand for addresses that were given out once
 * or are about to be; a pool adds rows in batches, so that a large one costs nothing before it is used. A released
 * address rests before it is given out again, the one that has rested longest first.
 */
import { sql } from 'kysely'
import type { Queries, Transaction } from '../../kernel/data/db.ts'
import type { Locks } from '../../kernel/data/locks.ts'
import type { ProjectId, ProjectScope } from '../../kernel/scope.ts'
import { addressAt, cidrSize, parseCidr, subnetAt } from '../../net/ip.ts'
import { announceDns } from '../zones/effects.ts'

interface AddressRow {
  /** An IPv4 address, or an IPv6 /64 network. */
  readonly ip: string
  readonly family: 4 | 6
  /** Who has it, such as `primary_ip:10000000007`; null while it is free. */
  readonly owner: string | null
  readonly project_id: ProjectId | null
  /** Clock time in milliseconds of its last release; 0 when it was never used. */
  readonly released_at: number
}

interface AddressPoolRow {
  readonly cidr: string
  readonly family: 4 | 6
  /** Index of the first address that has no row yet. */
  readonly next: number
  readonly past_end: number
}

declare module '../../kernel/data/db.ts' {
  interface Tables {
    address: AddressRow
    address_pool: AddressPoolRow
  }
}

export const addressLocks: Locks = {
  // Whoever finds no free address waits for one of the pool, lest a rival takes it back.
  order: [['address_pool', 'address']],
  belonging: { address: 'who has it' },
}

/** How long a released address rests, in milliseconds. */
export const restMs = 600_000
const batch = 64
/** Counted in whole addresses or /64 networks; more than this is never needed and would not fit a number. */
const maxPoolSize = 2 ** 40

/** Makes the configured pools known; pools that were configured before stay, so that their addresses keep their owners. */
export async function definePools(tx: Transaction, cidrs: readonly string[]): Promise<void> {
  const rows = cidrs.map(poolOf)
  if (rows.length === 0) return
  await tx.query
    .insertInto('address_pool')
    .values(rows)
    .onConflict((conflict) => conflict.column('cidr').doNothing())
    .execute()
}

function poolOf(text: string): AddressPoolRow {
  const parsed = parseCidr(text)
  if (!parsed.ok) throw new Error(`address pool ${text}: ${parsed.message}`)
  const { cidr, family, prefixLength } = parsed
  if (family === 6 && prefixLength > 64) throw new Error(`address pool ${text}: must be a /64 or larger`)
  const size = family === 4 ? cidrSize(cidr) : 1n << BigInt(64 - prefixLength)
  const end = Number(size > maxPoolSize ? BigInt(maxPoolSize) : size)
  // The first and last address of an IPv4 network are not for hosts.
  return family === 4 && end > 2
    ? { cidr, family, next: 1, past_end: end - 1 }
    : { cidr, family, next: 0, past_end: end }
}

/** Gives `owner` an address of the family; undefined when every one is taken or resting. */
export async function claimAddress(
  tx: Transaction,
  scope: ProjectScope,
  family: 4 | 6,
  owner: string,
): Promise<string | undefined> {
  const ip = await claimAny(tx, scope, family, owner)
  // Who holds an address has a name for it.
  if (ip !== undefined) await announceDns(tx, `address:${ip}`)
  return ip
}

async function claimAny(
  tx: Transaction,
  scope: ProjectScope,
  family: 4 | 6,
  owner: string,
): Promise<string | undefined> {
  for (;;) {
    const ip = await claimFree(tx, scope, family, owner, 'skip')
    if (ip !== undefined) return ip
    if (!(await addRows(tx, family))) break
  }
  // A rival may hold the last free row and yet roll back: wait for it before saying that there is none.
  return claimFree(tx, scope, family, owner, 'update')
}

async function claimFree(
  tx: Transaction,
  scope: ProjectScope,
  family: 4 | 6,
  owner: string,
  lock: 'skip' | 'update',
): Promise<string | undefined> {
  const { rows } = await sql<{ ip: string }>`
    with free as (
      select ip from address
      where family = ${family} and owner is null and released_at <= ${tx.now - restMs}
      order by released_at, ip limit 1 ${tx.dialect.lockRows(lock)}
    )
    update address set owner = ${owner}, project_id = ${scope.projectId}
    where ip in (select ip from free)
    returning ip
  `.execute(tx.query)
  return rows[0]?.ip
}

/** Adds rows for the next addresses of the first pool that has some; false when all pools are at their end. */
async function addRows(tx: Transaction, family: 4 | 6): Promise<boolean> {
  const { rows } = await sql<AddressPoolRow>`
    select * from address_pool where family = ${family} and next < past_end order by cidr limit 1
    ${tx.dialect.lockRows('update')}
  `.execute(tx.query)
  const pool = rows[0]
  if (!pool) return false
  const end = Math.min(pool.next + batch, pool.past_end)
  const added = Array.from({ length: end - pool.next }, (_, i) => ({
    ip: nth(pool, pool.next + i),
    family,
    owner: null,
    project_id: null,
    released_at: 0,
  }))
  // Pools may overlap; an address that has a row already keeps it.
  await tx.query
    .insertInto('address')
    .values(added)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await tx.query.updateTable('address_pool').set({ next: end }).where('cidr', '=', pool.cidr).execute()
  return true
}

function nth({ cidr, family }: AddressPoolRow, index: number): string {
  return family === 4 ? addressAt(cidr, BigInt(index)) : subnetAt(cidr, 64, BigInt(index))
}

/** Takes an address back from its owner; it rests from now on. */
export async function releaseAddress(tx: Transaction, scope: ProjectScope, ip: string): Promise<void> {
  await tx.query
    .updateTable('address')
    .set({ owner: null, project_id: null, released_at: tx.now })
    .where('ip', '=', ip)
    .where('project_id', '=', scope.projectId)
    .execute()
  await announceDns(tx, `address:${ip}`)
}

/** The networks that addresses come from, or came from once. */
export async function listPools(query: Queries): Promise<string[]> {
  return (await query.selectFrom('address_pool').select('cidr').orderBy('cidr').execute()).map(({ cidr }) => cidr)
}

/** Addresses by what is known of them, for checks that every one has one owner or none. */
export async function listAddresses(query: Queries): Promise<AddressRow[]> {
  return query.selectFrom('address').selectAll().orderBy('ip').execute()
}
