/** The options of the lab. */
import { InvalidArgumentError, Option } from 'commander'
import { type DatabaseUrl, fileOf, isInMemory } from '../kernel/data/dialect.ts'
import { type ClockMode, clockModes } from '../lab/clock.ts'
import type { ListenAddress } from '../protocols/net/listen-address.ts'

export interface LabConfig {
  readonly lab?: true
  readonly clock: ClockMode
  /** `instant`, `realistic`, or a file. */
  readonly actions: string
  readonly randomSeed: string
  /** Names of scenarios that ship, and files. */
  readonly scenario: readonly string[]
  /** A seed file. */
  readonly seed?: string
}

/** They say what testers may do with the server. */
export function labOptions(): Option[] {
  return [
    new Option('--lab', 'let testers move the clock and more (docs/testing.md); always on with --database memory').env(
      'WOLKE_LAB',
    ),
    new Option('--clock <mode>', 'whether the time of a lab runs, stands still, or skips what somebody waits for')
      .env('WOLKE_CLOCK')
      .choices(clockModes)
      .default('running' satisfies ClockMode),
    new Option('--actions <instant|realistic|FILE>', 'how long actions take; a file has seconds by command')
      .env('WOLKE_ACTIONS')
      .default('instant'),
    new Option('--random-seed <text>', 'decides what happens by chance, such as how long each action takes')
      .env('WOLKE_RANDOM_SEED')
      .default('wolke'),
    new Option('--scenario <name|file>', 'what goes wrong from the start (docs/scenarios.md); may be repeated')
      .env('WOLKE_SCENARIO')
      .argParser((text: string, before: readonly string[] = []) => [...before, text])
      .default([], 'none'),
    new Option('--seed <file>', 'make what this file describes, before the lab is ready (docs/seed.md)').env(
      'WOLKE_SEED',
    ),
  ]
}

/** Tells whether a server has a lab. */
export function hasLab({ lab, database }: Pick<LabConfig, 'lab'> & { readonly database: DatabaseUrl }): boolean {
  return lab === true || isInMemory(database)
}

/** Processes that share a database share its time, too. */
export const isMovable = (url: DatabaseUrl) => isInMemory(url) || fileOf(url) !== undefined

interface BesideLab {
  readonly database: DatabaseUrl
  readonly metadataListen: ListenAddress | 'off'
  readonly dnsListen: ListenAddress | 'off'
}

/** Errors: `InvalidArgumentError`. */
export function checkLab(config: LabConfig & BesideLab): void {
  if (config.scenario.length > 0 && !hasLab(config)) throw new InvalidArgumentError('--scenario needs --lab')
  if (config.seed !== undefined && !hasLab(config)) throw new InvalidArgumentError('--seed needs --lab')
  const { metadataListen, dnsListen } = config
  if (hasLab(config) && [metadataListen, dnsListen].some((at) => typeof at === 'object' && at.bound))
    throw new InvalidArgumentError(
      'a lab opens its name server and its metadata service anew, so it takes no sockets for them',
    )
  if (config.clock === 'running') return
  if (!hasLab(config)) throw new InvalidArgumentError(`--clock ${config.clock} needs --lab`)
  if (!isMovable(config.database))
    throw new InvalidArgumentError(`--clock ${config.clock} needs SQLite or memory: on PostgreSQL time cannot be moved`)
}
