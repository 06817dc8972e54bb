/** The options of a cloud that is thrown away: those of `wolke serve` that mean something to it. */
import type { Option } from 'commander'
import { type Config, serveOptions } from '../config/config.ts'
import { checkLab } from '../config/lab.ts'
import { isRepeatable } from '../config/names.ts'
import { parseDatabaseUrl } from '../kernel/data/dialect.ts'

const names = [
  'now',
  'clock',
  'actions',
  'randomSeed',
  'actionDelay',
  'rateLimit',
  'limits',
  'addressPool',
  'catalogue',
  'token',
  'scenario',
  'seed',
] as const satisfies readonly (keyof Config)[]

/** Options of such a cloud that are given. */
export type CloudConfig = Partial<Pick<Config, (typeof names)[number]>>

/** Nobody is throttled who has not asked for it. */
const defaults: CloudConfig = { rateLimit: 'off' }

/** The options, as a command has them. */
export function cloudOptions(): Option[] {
  const options = serveOptions().filter((option) => names.some((name) => name === option.attributeName()))
  for (const option of options) {
    const value = defaults[option.attributeName() as keyof CloudConfig]
    if (value !== undefined) option.default(value)
  }
  return options
}

/** Every option of a server in memory with these; all others are as if nobody had given any. */
export function configOf(given: CloudConfig): Config {
  const all = Object.fromEntries(serveOptions().map((option) => [option.attributeName(), option.defaultValue]))
  const own = { database: parseDatabaseUrl('memory')!, dnsListen: 'off', metadataListen: 'off', logLevel: 'info' }
  const config = { ...all, ...own, ...defaults, ...given } as unknown as Config
  checkLab(config)
  return config
}

/** Reads options as a program gives them. Errors: `TypeError` that names the option. */
export function readCloudOptions(given: Readonly<Record<string, unknown>>): CloudConfig {
  const options = new Map(cloudOptions().map((option) => [option.attributeName(), option]))
  const values = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(values.map(([name, value]) => [name, read(options.get(name), name, value)]))
}

function read(option: Option | undefined, name: string, value: unknown): unknown {
  if (!option) throw new TypeError(`startWolke has no option ${name}`)
  const texts = isRepeatable(option) && Array.isArray(value) ? value.map(toText) : [toText(value)]
  const parse = (before: unknown, text: string) => (option.parseArg ? option.parseArg(text, before as never) : text)
  try {
    return texts.reduce<unknown>(parse, undefined)
  } catch (error) {
    throw new TypeError(`${name}: ${(error as Error).message}`)
  }
}

/** The form that a value has on a command line. */
function toText(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.join(',')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([key, one]) => `${key}=${one}`)
    .join(',')
}
