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
