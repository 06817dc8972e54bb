/**
 * The library, as its users see it: a cloud in the memory of their own process. This file is delivered as the declaration
 * of the package's types, so that it may import nothing.
 */

/** The beginning of a cloud. Everything that is left out is as with `wolke exec`. */
export interface WolkeOptions {
  /** The time at which its clock starts, or a text such as `2027-04-02`; the time of the machine by default. */
  readonly now?: Date | string
  /** Time runs (the default), stands still, or skips what somebody waits for. */
  readonly clock?: WolkeClockMode
  /** The durations of actions: `instant` (the default), `realistic`, or a JSON file with seconds by command. */
  readonly actions?: string
  /** Decides what happens by chance. */
  readonly randomSeed?: string
  /** The time that the simulated infrastructure takes for one step, in milliseconds. */
  readonly actionDelay?: number
  /** Requests per hour and Project; `off` by default. */
  readonly rateLimit?: number | 'off'
  /** The most resources in a Project, by kind, such as `{ servers: 10 }`. */
  readonly limits?: Readonly<Record<string, number>>
  /** Whatever goes wrong from the beginning: names of scenarios that ship, and files (docs/scenarios.md). */
  readonly scenario?: string | readonly string[]
  /** The resources that are there from the beginning: a seed file, or what such a file says (docs/seed.md). */
  readonly seed?: string | object
  /** Networks from which public addresses are assigned. */
  readonly addressPool?: readonly string[]
  /** A JSON file that replaces or extends the built-in catalogue. */
  readonly catalogue?: string
  /** The token of Project default, 64 characters; one by chance by default. */
  readonly token?: string
  /** False for a cloud without a socket, which `fetch` alone reaches; it has neither `dns` nor `metadata`. */
  readonly listen?: boolean
  /** Opens a name server. */
  readonly dns?: boolean
  /** Opens the service at which servers learn of themselves. */
  readonly metadata?: boolean
  /** Takes the lines of the log, which nobody sees by default. */
  readonly log?: (line: string) => void
}

export type WolkeClockMode = 'running' | 'frozen' | 'skip'

/** Something that happens by itself. */
export interface WolkeEvent {
  readonly time: Date
  /** Its kind, such as `backup`. */
  readonly event: string
  /** The resource to which it happens; null for what concerns everybody. */
  readonly resource: { readonly id: number; readonly type: string } | null
  readonly project: number | null
}

/** The time of a cloud. */
export interface WolkeClock {
  now(): Promise<Date>
  mode(): Promise<WolkeClockMode>
  setMode(mode: WolkeClockMode): Promise<void>
  /**
   * Moves time on by a duration such as `90s`, `1h30m` or `30d`, and lets everything happen that has its date until
   * then. Resolves with the new time.
   */
  advance(by: string): Promise<Date>
  /** Does the same up to a time. */
  advanceTo(time: Date | string): Promise<Date>
  /** Lists what happens next by itself, in order; 25 events by default. */
  events(limit?: number): Promise<WolkeEvent[]>
}

/** A fault that is injected from now on; docs/scenarios.md says what each field does. All of `match` and `when` must fit. */
export interface WolkeFault {
  readonly name?: string
  readonly match?: {
    readonly operation?: string
    readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
    readonly project?: string
    readonly resource?: string
    readonly id?: number
    readonly name?: string
    readonly label_selector?: string
    readonly location?: string
    readonly server_type?: string
    readonly command?: string
  }
  readonly when?: {
    readonly first?: number
    readonly after?: number
    readonly every?: number
    readonly share?: number
    readonly seed?: string
    readonly for?: string
    readonly until?: string
  }
  readonly fault: {
    readonly latency?: WolkeLatency
    readonly error?: {
      readonly code: string
      readonly message?: string
      readonly status?: number
      readonly details?: Readonly<Record<string, unknown>> | null
      readonly after_effect?: boolean
    }
    readonly reset?: 'before_effect' | 'after_effect'
    readonly truncate?: { readonly bytes: number }
    readonly dribble?: { readonly bytes: number; readonly every: string }
    readonly action?: {
      readonly step?: string
      readonly error?: { readonly code: string; readonly message: string }
      readonly takes?: string
      readonly stays_locked?: boolean
    }
    readonly sold_out?: boolean
    readonly no_addresses?: boolean
    readonly name_server?: { readonly latency?: WolkeLatency; readonly answer?: 'servfail' | 'none' }
    readonly metadata?: { readonly latency: WolkeLatency }
    readonly targets?: 'unhealthy'
  }
}

export interface WolkeLatency {
  readonly duration: string
  readonly spread?: string
  readonly distribution?: 'fixed' | 'uniform' | 'normal' | 'exponential'
}

/** A fault with what it has hit. */
export interface WolkeInjected extends WolkeFault {
  readonly name: string
  /** How many requests and actions it was about, and how many of them it has hit. */
  readonly fitting: number
  readonly hits: number
}

/** The part of a report that most tests look at; docs/report.md has all of it. */
export interface WolkeReport {
  readonly requests: number
  readonly operations: readonly {
    readonly operation: string
    readonly status: number
    readonly code: string | null
    readonly injected: string | null
    readonly lost: boolean
    readonly count: number
  }[]
  readonly retries: readonly {
    readonly operation: string
    readonly code: string
    readonly back_off: boolean | null
    readonly pause: 'until_told' | 'own' | 'at_once' | 'constant' | 'unknown'
    readonly count: number
  }[]
  readonly polling: { readonly requests: number; readonly share: number }
  readonly throttling: { readonly limit: number; readonly requests: number; readonly first: string | null }
  readonly deprecations: readonly {
    readonly operation: string
    readonly field: string | null
    readonly value: string | null
    readonly summary: string
    readonly since: string | null
    readonly stops: string | null
    readonly count: number
  }[]
  readonly unknown_fields: readonly {
    readonly operation: string
    readonly field: string
    readonly place: 'body' | 'query'
    readonly count: number
  }[]
  readonly unawaited_actions: readonly { readonly id: number; readonly command: string; readonly operation: string }[]
  readonly leftovers: readonly { readonly type: string; readonly id: number; readonly name: string | null }[]
  readonly cost: { readonly currency: string; readonly net: string }
  readonly assertions: readonly {
    readonly assertion: string
    readonly holds: boolean
    readonly found: readonly string[]
  }[]
}

/** A cloud. It ends with `close`, and by itself at the end of the block that has it by `await using`. */
export interface Wolke extends AsyncDisposable {
  /** The base URL of the API. Without a socket it is one that `fetch` alone knows. */
  readonly url: string
  /** The base URL of what only Wolke has. */
  readonly wolkeUrl: string
  /** The read-write token of Project default. */
  readonly token: string
  /** A management token, with which the clock and more can be changed. */
  readonly labToken: string
  /** Host and port of the name server, where there is one. */
  readonly dns: string | null
  /** The base URL of the metadata service, where there is one. */
  readonly metadataUrl: string | null
  /** The variables by which the known clients find this cloud, with its token. */
  readonly env: Readonly<Record<string, string>>
  /**
   * Asks this cloud within the process, without a socket. It takes what the global `fetch` takes, follows no redirects,
   * and refuses URLs that are not below those of this cloud.
   */
  readonly fetch: typeof globalThis.fetch
  readonly clock: WolkeClock
  /** Puts everything back as it was at the beginning. */
  reset(): Promise<void>
  /** Makes a cloud that begins as this one is now and goes its own way. It ends with this one at the latest. */
  fork(options?: WolkeForkOptions): Promise<Wolke>
  /** Keeps the present state under a name, for `restore`. */
  snapshot(name: string): Promise<void>
  restore(name: string): Promise<void>
  /** Injects a fault from now on. Resolves with its name. */
  fail(fault: WolkeFault): Promise<string>
  /** Lists the faults that are injected, with what they have hit. */
  faults(): Promise<WolkeInjected[]>
  /** Stops injecting a fault, or all of them. */
  heal(name?: string): Promise<void>
  /** Makes what a seed file says, given as its text or as an object, or nothing of it. */
  seed(seed: string | object): Promise<void>
  /** Tells what clients have done since the beginning. `failOn` has assertions, such as `cost>1.00`. */
  report(options?: { readonly failOn?: readonly string[] }): Promise<WolkeReport>
  /** Ends it, its forks, and everything that works for them. Can be repeated. */
  close(): Promise<void>
}

export interface WolkeForkOptions {
  /** It ends by itself after this time, such as `10m`; after 24 days by default. */
  readonly ttl?: string
  /** Opens a name server of its own. */
  readonly dns?: boolean
}

/** A cloud refused something. The codes are those of the API, such as `not_found`. */
export declare class WolkeError extends Error {
  readonly code: string
  readonly status: number
  readonly details: unknown
}

/**
 * Starts a cloud in this process. Several live side by side, and nothing is left of one that has ended: no timer, no
 * handle, no file. Errors: `TypeError` that names the option.
 */
export declare function startWolke(options?: WolkeOptions): Promise<Wolke>
