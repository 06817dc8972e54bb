/**
 * What hangs on a server and belongs to another family: addresses, firewalls, backups. Each family says here, as a value
 * in its own attachment.ts, what of it a server shows, gets at its creation and loses at its deletion. The list of them
 * is attachments.ts.
 */
import type { Static } from 'typebox'
import type { ActionStart } from '../../kernel/actions/store.ts'
import type { Labels } from '../../kernel/contract/labels.ts'
import type { Queries, Transaction } from '../../kernel/data/db.ts'
import type { AtOnce } from '../../kernel/process/at-once.ts'
import type { Desired, Targets } from '../../kernel/resource/desired.ts'
import type { DefaultLimits } from '../../kernel/resource/limits.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import type { serverEndpoints, Server as Wire } from './contract.ts'
import type { ServerState } from './driver.ts'

type ServerWire = Static<typeof Wire>
type PublicNet = ServerWire['public_net']

/** A part of the wire form of a server. */
export type ServerPart = Partial<Omit<ServerWire, 'public_net'>> & { readonly public_net?: Partial<PublicNet> }

/** What a request for a new server asks for. */
export type CreateBody = Static<(typeof serverEndpoints)['create']['body']>

/** What attachments need to know of a new server. */
export interface NewServer {
  readonly id: number
  readonly locationId: number
  readonly labels: Labels
}

export interface Attachment {
  /** Where a new server has to be because of what it asks for, as the id of a location. */
  placeOf?(query: Queries, scope: ProjectScope, body: CreateBody): Promise<number | undefined>
  /**
   * What some servers show of it, with one read for all of them; what is returned is asked for each server, and gives the
   * same part as long as that has not changed (`keptParts`).
   */
  show?(query: Queries, scope: ProjectScope, serverIds: readonly number[]): AtOnce<(serverId: number) => ServerPart>
  /** Refuses a new server with more than the Project may have. Errors: `resource_limit_exceeded`. */
  limit?(tx: Transaction, scope: ProjectScope, body: CreateBody, limits: DefaultLimits): Promise<void>
  /** Locks what a new server asks for, before the server is there. Errors: `invalid_input` for what is missing. */
  hold?(tx: Transaction, scope: ProjectScope, body: CreateBody): Promise<void>
  /** Attaches what a new server asks for. Returns the actions to start between its creation and its first start. */
  attach?(
    tx: Transaction,
    scope: ProjectScope,
    server: NewServer,
    body: CreateBody,
    platform: Platform,
  ): Promise<readonly ActionStart[]>
  /** Follows new labels of a server; returns the actions to start. */
  relabel?(tx: Transaction, scope: ProjectScope, server: NewServer): Promise<readonly ActionStart[]>
  /** Follows other public addresses of a server. */
  readdress?(tx: Transaction, scope: ProjectScope, serverId: number): Promise<void>
  /** Whether a server has to keep its public IPv4 address. */
  needsIpv4?(query: Queries, scope: ProjectScope, serverId: number): Promise<boolean>
  /** Parts a server that goes away from it; `wasMade` is false for one whose creation failed. */
  detach(tx: Transaction, scope: ProjectScope, serverId: number, wasMade: boolean): Promise<void>
  /** What the infrastructure does about it: it goes with the server, and comes back when a deletion fails. */
  readonly desired?: Desired
  /** What has to be out there for `desired` to have its effect, with one read for all servers. */
  restsOn?(query: Queries, scope: ProjectScope, serverIds: readonly number[]): Promise<(serverId: number) => Targets>
  /** Whether `desired` is in force before the server gets power. */
  readonly comesBeforePower?: boolean
  /** The server to which the public addresses of an owner lead, such as `floating_ip:10000000007`. */
  serverOf?(query: Queries, scope: ProjectScope, owner: string): Promise<number | undefined>
  /** Whether it connects a server to a network. */
  connects?(query: Queries, scope: ProjectScope, serverId: number): Promise<boolean>
  /** What of it the driver of servers has to know. */
  state?(query: Queries, scope: ProjectScope, serverId: number): Promise<Partial<ServerState>>
}
