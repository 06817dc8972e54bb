/** Operators know processes by these names. */
import { hostname } from 'node:os'

/** PostgreSQL cuts names of connections off. */
const longestHost = 40

/** Names this process among those that share a database: the name of its machine, and its number there. */
export const processName = `${hostname().slice(0, longestHost)}:${process.pid}`

/** The machine and the number in the name of a process; undefined for any other text. */
export function readProcessName(name: string): { readonly host: string; readonly pid: number } | undefined {
  const [, host, pid] = /^(.+):(\d+)$/.exec(name) ?? []
  return host === undefined ? undefined : { host, pid: Number(pid) }
}
