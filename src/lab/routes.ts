/** The lab through the API. */

import { publicBase, wolkeBase } from '../kernel/contract/bases.ts'
import type { Handlers } from '../kernel/contract/contract.ts'
import { latestMs, parseInstant } from '../kernel/contract/instants.ts'
import { ApiError, invalidInput, notFound } from '../kernel/errors.ts'
import { type ClockEvent, timestamp } from '../kernel/process/clock.ts'
import type { ProjectId } from '../kernel/scope.ts'
import { hostAndPort } from '../protocols/net/listen-address.ts'
import type { labEndpoints } from './contract.ts'
import { parseDuration } from './duration.ts'
import type { Fork } from './forks.ts'
import type { ProjectReset } from './project-reset.ts'
import { type Reports, recording, reportRoutes } from './report/routes.ts'
import { fileRoutes } from './snapshots/routes.ts'
import type { TransferOptions } from './snapshots/transfer.ts'
import type { Snapshot, States } from './states.ts'
import type { Time } from './time.ts'

/** The lab of a server. */
export interface Lab {
  readonly time: Time
  /** Missing where a cloud cannot be copied. */
  readonly states: States | undefined
  /** Missing there, too. */
  readonly projectReset: ProjectReset | undefined
  /** The words for what cannot be copied, unless that is the database. */
  readonly outside: string | undefined
  /** Files with snapshots need them; missing where there are none. */
  readonly files: TransferOptions | undefined
  readonly reports: Reports | undefined
  /** True where processes share the time of their database, which nobody can move. */
  readonly isShared: boolean
}

/** One handler for each endpoint. Errors of all: `unsupported_error` on a server without a lab. */
export function labRoutes(lab: Lab | undefined): Handlers<typeof labEndpoints> {
  const timeOf = () => opened(lab).time
  const movableTime = () => movable(opened(lab)).time
  const reply = async (time: Time) => ({ clock: await clockToWire(time) })
  return {
    getClock: () => reply(timeOf()),
    async setClock({ body: { mode } }) {
      const time = movableTime()
      await time.switch(mode)
      return reply(time)
    },
    async advanceClock({ body }) {
      const time = movableTime()
      await time.advance(targetOf(body, time.now))
      return reply(time)
    },
    ...forkRoutes(() => opened(lab)),
    ...reportRoutes(() => recording(opened(lab).reports)),
    ...stateRoutes(() => opened(lab)),
    ...fileRoutes({
      states: () => statesOf(opened(lab)),
      options: () => opened(lab).files ?? refuse(notItsOwn(opened(lab))),
      checkedName,
      toWire: snapshotToWire,
    }),
    listClockEvents: async ({ query: { limit } }) => ({ events: (await timeOf().events(limit)).map(eventToWire) }),
  }
}

type ForkRoutes = Pick<Handlers<typeof labEndpoints>, 'listForks' | 'createFork' | 'getFork' | 'deleteFork'>

function forkRoutes(lab: () => Lab): ForkRoutes {
  const found = (id: number) => {
    const { states } = lab()
    if (!states) throw notFound('fork', id)
    return states.forks
  }
  return {
    listForks: async () => ({ forks: (lab().states?.forks.list() ?? []).map(forkToWire) }),
    async createFork({ body: { ttl = '1h', dns = false } }) {
      const fork = await statesOf(lab()).forks.make({ ttlMs: ttlIn(ttl), hasDns: dns })
      return { fork: forkToWire(fork) }
    },
    getFork: async ({ params: { id } }) => ({ fork: forkToWire(found(id).get(id)) }),
    deleteFork: ({ params: { id } }) => found(id).end(id),
  }
}

function statesOf(lab: Lab): States {
  if (lab.states) return lab.states
  throw notItsOwn(lab)
}

const refuse = (error: ApiError): never => {
  throw error
}

function notItsOwn({ outside = 'a database that processes share' }: Lab): ApiError {
  return new ApiError('unsupported_error', `this cloud cannot be copied or replaced, because it has ${outside}`)
}

type StateRoutes = Pick<
  Handlers<typeof labEndpoints>,
  'reset' | 'resetProject' | 'listSnapshots' | 'saveSnapshot' | 'restoreSnapshot' | 'deleteSnapshot'
>

function stateRoutes(lab: () => Lab): StateRoutes {
  return {
    reset: () => statesOf(lab()).reset(),
    async resetProject({ params: { project_id } }) {
      const { projectReset } = lab()
      if (!projectReset) throw notItsOwn(lab())
      await projectReset.run({ projectId: project_id as ProjectId })
    },
    listSnapshots: async () => ({ snapshots: (lab().states?.list() ?? []).map(snapshotToWire) }),
    saveSnapshot: async ({ params: { name } }) => ({
      snapshot: snapshotToWire(await statesOf(lab()).save(checkedName(name))),
    }),
    restoreSnapshot: ({ params: { name } }) => statesOf(lab()).restore(name),
    deleteSnapshot: async ({ params: { name } }) => statesOf(lab()).remove(name),
  }
}

function snapshotToWire({ name, nowMs, bytes }: Snapshot) {
  return { name, now: timestamp(nowMs), size: bytes }
}

/** Errors: `invalid_input`. */
function checkedName(name: string): string {
  if (/^[\w.-]{1,64}$/.test(name)) return name
  throw invalidInput([{ field: 'name', message: 'must be 1 to 64 letters, digits, dots, dashes or underscores' }])
}

/** The longest life of a fork: timers of Node.js count no further. */
const longestTtlMs = 24 * 86_400_000

/** Errors: `invalid_input`. */
function ttlIn(text: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined && ms > 0 && ms <= longestTtlMs) return ms
  throw invalidInput([{ field: 'ttl', message: 'must be a duration of at most 24 days, such as 10m or 2h' }])
}

function forkToWire({ id, url, dns, createdMs, endsMs }: Fork) {
  const base = url.slice(0, -publicBase.length)
  return {
    id,
    base_url: url,
    wolke_url: base + wolkeBase,
    dns: dns ? hostAndPort(dns) : null,
    created: timestamp(createdMs),
    ends: timestamp(endsMs),
  }
}

function opened(lab: Lab | undefined): Lab {
  if (lab) return lab
  throw new ApiError('unsupported_error', 'this server has no lab: start it with --lab, or with --database memory')
}

function movable(lab: Lab): Lab {
  if (!lab.isShared) return lab
  throw new ApiError('unsupported_error', 'on PostgreSQL time can be read and not be moved: use SQLite or memory')
}

/** Errors: `invalid_input`. */
function targetOf({ by, to }: { readonly by?: string; readonly to?: string }, nowMs: number): number {
  const refused = (field: string, message: string) => invalidInput([{ field, message }])
  if ((by === undefined) === (to === undefined)) throw refused('by', 'give either by or to')
  const ms = to === undefined ? parseDuration(by!) : parseInstant(to)
  if (ms === undefined) {
    throw to === undefined
      ? refused('by', 'must be a duration such as 90s, 1h30m or 30d')
      : refused('to', 'must be a time such as 2030-01-31T00:00:00Z')
  }
  const target = to === undefined ? nowMs + ms : ms
  // Whoever has read the time has whole seconds of it.
  if (target < Math.floor(nowMs / 1_000) * 1_000)
    throw refused('to', `must not be before the time of the clock, ${timestamp(nowMs)}`)
  if (target > latestMs) throw refused(to === undefined ? 'by' : 'to', 'must lead to a time before the year 10000')
  return target
}

async function clockToWire(time: Time) {
  const [next] = await time.events(1)
  return { now: timestamp(time.now), mode: time.mode, next_event: next ? eventToWire(next) : null }
}

function eventToWire({ atMs, event, subject }: ClockEvent) {
  return {
    time: timestamp(atMs),
    event,
    resource: subject ? { id: subject.id, type: subject.type } : null,
    project: subject?.projectId ?? null,
  }
}
