/** The id of an event is the position of a client in the stream, from which it goes on after an interruption. */
import { parseId } from '../kernel/ids.ts'

export interface Position {
  /** The newest entry of the audit log that was told. */
  readonly entry: number
  /** The oldest action that may still change. */
  readonly action: number
  /** The time of that reading, in seconds since the epoch. */
  readonly second: number
  /** Tells the clouds apart that answer one after the other at an address; 0 for the first. */
  readonly era: number
}

export function positionText({ entry, action, second, era }: Position): string {
  return [entry, action, second, ...(era > 0 ? [era] : [])].join('-')
}

/** Returns undefined for what is no position. */
export function parsePosition(text: string): Position | undefined {
  const [, ...parts] = /^(\d{1,16})-(\d{1,16})-(\d{1,16})(?:-(\d{1,16}))?$/.exec(text) ?? []
  const [entry, action, second, era] = parts.map((part = '0') => (part === '0' ? 0 : parseId(part)))
  if (entry === undefined || action === undefined || second === undefined || era === undefined) return undefined
  return { entry, action, second, era }
}
