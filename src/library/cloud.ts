/** A cloud as users of the library hold it. Whatever the lab can do, it asks the cloud for as everybody else does. */
import type { Duplex } from 'node:stream'
import { publicBase, wolkeBase } from '../kernel/contract/bases.ts'
import { parseInstant } from '../kernel/contract/instants.ts'
import type { FaultBody } from '../lab/faults/contract.ts'
import type { LocalCloud } from '../lab/forks.ts'
import type { Report } from '../lab/report/schema.ts'
import { askLab } from './asking.ts'
import { environmentOf } from './environment.ts'
import { WolkeError } from './error.ts'
import { fetchOver } from './fetching.ts'
import type { Wolke, WolkeClock, WolkeClockMode, WolkeEvent, WolkeForkOptions } from './wolke.ts'

/** A cloud that was started, with the ways to reach it. */
export interface Found {
  readonly local: LocalCloud
  readonly url: string
  readonly token: string
  readonly labToken: string
  readonly dns: string | null
  readonly metadataUrl: string | null
}

/** The longest life of a fork. */
const longestTtl = '24d'

// biome-ignore lint/suspicious/noExplicitAny: replies have the shapes of the contract
type Reply = any

/** Asks the lab of a cloud. Errors: `WolkeError`. */
type AskLab = (method: string, path: string, body?: unknown) => Promise<Reply>

interface Life {
  end(): Promise<void>
  /** Tells whether one has ended of which this one is a fork. */
  isOver?(): boolean
}

export function cloudAt(found: Found, { end, isOver: isOriginOver = () => false }: Life): Wolke {
  const { local, url, token, labToken } = found
  let ended: Promise<void> | undefined
  const isOver = () => ended !== undefined || isOriginOver()
  const connect = (connection: Duplex) => {
    if (isOver()) throw new TypeError('this cloud has ended')
    local.connect(connection)
  }
  const wolkeUrl = url.slice(0, -publicBase.length) + wolkeBase
  const fetch = fetchOver({ origin: new URL(url).origin, connect })
  const lab: AskLab = async (method, path, body) => {
    const text = await askLab({ fetch, wolkeUrl, labToken }, method, path, { body })
    return text === '' ? undefined : JSON.parse(text)
  }
  const close = () => {
    ended ??= isOriginOver() ? Promise.resolve() : end()
    return ended
  }
  return {
    url,
    wolkeUrl,
    token,
    labToken,
    dns: found.dns,
    metadataUrl: found.metadataUrl,
    env: environmentOf({ url, token }),
    fetch,
    clock: clockOf(lab),
    reset: () => lab('POST', '/reset'),
    fork: (options = {}) => fork(found, { lab, isOver }, options),
    async snapshot(name) {
      await lab('PUT', `/snapshots/${encodeURIComponent(name)}`)
    },
    restore: (name) => lab('POST', `/snapshots/${encodeURIComponent(name)}/restore`),
    ...testing(lab),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Lets things go wrong, and tells what came of it. */
function testing(lab: AskLab): Pick<Wolke, 'fail' | 'faults' | 'heal' | 'seed' | 'report'> {
  return {
    fail: async (fault) => (await lab('POST', '/faults', fault satisfies FaultBody)).fault.name,
    faults: async () => (await lab('GET', '/faults')).faults,
    heal: (name) => lab('DELETE', name === undefined ? '/faults' : `/faults/${encodeURIComponent(name)}`),
    async seed(seed) {
      await lab('POST', '/seed', typeof seed === 'string' ? { yaml: seed } : seed)
    },
    async report({ failOn = [] } = {}) {
      const { report }: { report: Report } = await lab(
        'GET',
        `/report?fail_on=${encodeURIComponent(failOn.join(',') || 'none')}`,
      )
      return report
    },
  }
}

interface Origin extends Pick<Life, 'isOver'> {
  readonly lab: AskLab
}

async function fork(
  of: Found,
  { lab, ...origin }: Origin,
  { ttl = longestTtl, dns = false }: WolkeForkOptions,
): Promise<Wolke> {
  const { fork } = await lab('POST', '/forks', { ttl, dns })
  const found = { ...of, local: of.local.fork(fork.id), url: fork.base_url, dns: fork.dns, metadataUrl: null }
  const end = async () => {
    try {
      await lab('DELETE', `/forks/${fork.id}`)
    } catch (error) {
      // It may have come to its end before.
      if (!(error instanceof WolkeError && error.code === 'not_found')) throw error
    }
  }
  return cloudAt(found, { ...origin, end })
}

function clockOf(lab: AskLab): WolkeClock {
  const clock = async () =>
    (await lab('GET', '/clock')).clock as { readonly now: string; readonly mode: WolkeClockMode }
  const advance = async (target: object) => new Date((await lab('POST', '/clock/advance', target)).clock.now)
  return {
    now: async () => new Date((await clock()).now),
    mode: async () => (await clock()).mode,
    async setMode(mode) {
      await lab('PUT', '/clock', { mode })
    },
    advance: (by) => advance({ by }),
    advanceTo: async (time) => advance({ to: timeOf(time).toISOString() }),
    async events(limit = 25) {
      const { events } = (await lab('GET', `/clock/events?limit=${limit}`)) as { events: readonly WireEvent[] }
      return events.map(({ time, ...event }) => ({ time: new Date(time), ...event }))
    },
  }
}

/** Reads a time, or a date as the option `now` has it. Errors: `TypeError`. */
function timeOf(given: Date | string): Date {
  const isDay = typeof given === 'string' && /^\d{4}-\d\d-\d\d$/.test(given)
  const ms = given instanceof Date ? given.getTime() : parseInstant(isDay ? `${given}T00:00:00Z` : given)
  if (ms !== undefined && !Number.isNaN(ms)) return new Date(ms)
  throw new TypeError('time: must be a time such as 2030-01-31T00:00:00Z, or a date')
}

type WireEvent = Omit<WolkeEvent, 'time'> & { readonly time: string }
