/**
 * The pool of public addresses: each has one owner at most, and none is refused while one is free. A row is an address
 * that was given out before or soon will be; a pool adds rows in batches, so that a large pool costs nothing before it is
 * used. A released address rests before it is given out again; the one that has rested longest comes first.
 */
import { sql } from 'kysely'
import { inEffect } from '../../kernel/contract/changes.ts'
import type { Queries, Transaction } from '../../kernel/data/db.ts'
import { prepared, preparedStatements } from '../../kernel/data/prepared.ts'
import { acrossProjects, preparedScoped, scoped } from '../../kernel/data/scoped.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { addressAt, cidrContains, cidrSize, parseCidr, subnetAt } from '../../protocols/net/ip.ts'
import { announceAllDns, announceDns } from '../zones/effects.ts'
import { addressChanges } from './changes.ts'
import type { AddressPoolRow, AddressRow } from './tables.ts'

/** A released address rests for so long, in milliseconds. */
export const restMs = 600_000
const batch = 64
/** The most addresses or /64 networks of one pool: larger counts would not fit a number. */
const maxPoolSize = 2 ** 40

/**
 * Adds the configured pools. Those of an earlier configuration stay if an address of them was ever given, because it may have
 * an owner, and are forgotten otherwise.
 */
export async function definePools(tx: Transaction, cidrs: readonly string[]): Promise<void> {
  const rows = cidrs.map(poolOf)
  if (rows.length === 0) return
  await tx.query
    .deleteFrom('address_pool')
    .where(
      'cidr',
      'not in',
      rows.map(({ cidr }) => cidr),
    )
    .where(sql<boolean>`next = case when family = 4 and past_end > 2 then 1 else 0 end`)
    .execute()
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
  // Hosts cannot have the first and the last address of an IPv4 network.
  return family === 4 && end > 2
    ? { cidr, family, next: 1, past_end: end - 1 }
    : { cidr, family, next: 0, past_end: end }
}

/** Gives `owner` an address of the family; undefined when all of them are taken or resting. */
export async function claimAddress(
  tx: Transaction,
  scope: ProjectScope,
  family: 4 | 6,
  owner: string,
): Promise<string | undefined> {
  const ip = await claimAny(tx, scope, family, owner)
  // The reverse zone answers for it from now on.
  if (ip !== undefined) await announceDns(tx, `address:${ip}`)
  return ip
}

/** The refusal of an address when none is left (spec: Floating IPs). */
export function noAddressLeft(type: 'ipv4' | 'ipv6', nowMs: number): ApiError {
  const status = inEffect(addressChanges.no_address_is_412, nowMs) ? 412 : 503
  return new ApiError('unavailable', `no ${type} address is available`, { status })
}

/** The refusal of a resource for which no address is left. */
export function noAddressFor(type: 'ipv4' | 'ipv6'): ApiError {
  return new ApiError('resource_unavailable', `no ${type} address is available`)
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
  // A rival may hold the last free row and still roll back: wait for it before answering that none is left.
  return claimFree(tx, scope, family, owner, 'update')
}

async function claimFree(
  tx: Transaction,
  scope: ProjectScope,
  family: 4 | 6,
  owner: string,
  lock: 'skip' | 'update',
): Promise<string | undefined> {
  const given = { family, rested: tx.now - restMs, owner, projectId: scope.projectId }
  const [claimed] = await claims(
    tx.query,
    lock,
    given,
    (of) => sql`
    with free as (
      select ip from address
      where family = ${of.family} and owner is null and released_at <= ${of.rested}
      order by released_at, ip limit 1 ${tx.dialect.lockRows(lock)}
    )
    update address set owner = ${of.owner}, project_id = ${of.projectId}
    where ip in (select ip from free)
    returning ip
  `,
  )
  return claimed?.ip
}

const claims = preparedStatements<{ readonly ip: string }>()

/** Adds rows for the next addresses of the first pool that has more of them; false when all pools are used up. */
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
  // Pools may overlap; an address that has a row keeps it.
  await acrossProjects(tx.query)
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

/** Takes an address back from its owner; its rest begins. */
export async function releaseAddress(tx: Transaction, scope: ProjectScope, ip: string): Promise<void> {
  await scoped(tx.query, scope)
    .updateTable('address')
    .set({ owner: null, project_id: null, released_at: tx.now })
    .where('ip', '=', ip)
    .execute()
  await announceDns(tx, `address:${ip}`)
}

/** Takes back all addresses of a Project that begins anew. They need no rest, as if nobody had had them. */
export async function releaseAddresses(tx: Transaction, scope: ProjectScope): Promise<void> {
  await announceAllDns(tx, sql`select 'address:' || ip as subject from address where project_id = ${scope.projectId}`)
  await scoped(tx.query, scope).updateTable('address').set({ owner: null, project_id: null, released_at: 0 }).execute()
}

/** The owner of an address that the Project has, such as `primary_ip:10000000007`. `ip` is as rows have it. */
export async function ownerOf(query: Queries, scope: ProjectScope, ip: string): Promise<string | undefined> {
  const [row] = await owners(query, scope, ip)
  return row?.owner ?? undefined
}

const owners = preparedScoped((rows, ip: string) => rows.selectFrom('address').select('owner').where('ip', '=', ip))

/** Tells whether an address is of a pool and nobody has it. `ip` is as rows have it. */
export async function isFree(query: Queries, ip: string): Promise<boolean> {
  const [row] = await anyOwner(query, ip)
  if (row) return row.owner === null
  const [address = ''] = ip.split('/')
  return (await listPools(query)).some((pool) => cidrContains(pool, address))
}

const anyOwner = prepared((query, ip: string) =>
  acrossProjects(query).selectFrom('address').select('owner').where('ip', '=', ip),
)

/** The networks of all pools, those of earlier configurations among them. */
export async function listPools(query: Queries): Promise<string[]> {
  return (await query.selectFrom('address_pool').select('cidr').orderBy('cidr').execute()).map(({ cidr }) => cidr)
}

/** Every address that has a row, for checks. */
export async function listAddresses(query: Queries): Promise<AddressRow[]> {
  return acrossProjects(query).selectFrom('address').selectAll().orderBy('ip').execute()
}
