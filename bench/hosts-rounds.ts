/** The benchmarks of hosts share this: the lab, how much they do, and rounds in which both sides take turns. */
import type { Lab } from '../lab/lab.ts'
import { publicBase } from '../src/kernel/contract/bases.ts'
import { onHost } from '../test/hosts/kit/guests.ts'
import { type Body, call, idsOf, untilSettled } from './client.ts'
import { median, type Row } from './report.ts'

export interface HostsBench {
  readonly lab: Lab
  /** The URL of the server of Wolke that drives the lab. */
  readonly url: string
  readonly rounds: number
  /** The number of filtered servers, and of rules for each. */
  readonly servers: number
  readonly rules: number
  /** The number of reconciled resources. */
  readonly resources: number
}

/** Runs a command on the first host. Errors: one with what it said when it fails. */
export const command = ({ lab: { members } }: HostsBench, ...line: readonly string[]) => onHost(members[0]!, ...line)

/** Times of both sides, which return milliseconds, in turns. Both run once before, which is not counted. */
export async function inTurns(
  { rounds }: HostsBench,
  { name, note }: Pick<Row, 'name' | 'note'>,
  wolke: (round: number) => Promise<number>,
  bare: (round: number) => Promise<number>,
): Promise<Row> {
  const times: { readonly own: number; readonly other: number }[] = []
  for (let round = 0; round <= rounds; round++) times.push({ own: await wolke(round), other: await bare(round) })
  times.shift()
  return {
    name,
    unit: 'ms',
    wolke: median(times.map(({ own }) => own)),
    bare: median(times.map(({ other }) => other)),
    ratio: median(times.map(({ own, other }) => own / other)),
    ...(note === undefined ? {} : { note }),
  }
}

/** Sends a request, and waits until its actions have succeeded. */
export async function finish(bench: HostsBench, method: 'POST' | 'DELETE', path: string, body?: object): Promise<Body> {
  const reply = (await call(method, `${bench.url}${publicBase}${path}`, body)).body
  await untilSettled(bench.url, idsOf([reply.action, ...(reply.next_actions ?? [])].filter(Boolean)))
  return reply
}
