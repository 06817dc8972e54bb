/** Finds out on which ways between hosts packets do not arrive. Each way has a direction of its own. */

/** Ends on hosts, numbered from 0 on, that send packets to each other. */
export interface Ends {
  readonly count: number
  /** Sends some packets, as large as they may be or small, and waits as long as they may need to arrive. */
  send(from: number, to: number, size: Size): Promise<void>
  /** Counts the packets that have arrived at an end so far, whoever sent them. */
  received(end: number): Promise<number>
}

export type Size = 'whole' | 'small'

export interface Way {
  readonly from: number
  readonly to: number
}

/** A way on which no whole packets arrive. */
export interface BrokenWay extends Way {
  readonly passesSmall: boolean
}

/** A busy host loses packets, so that a way counts as broken only when it was tried as often as this. */
const attempts = 2

/** Tries all ways. Errors: those of the ends. */
export async function brokenWays(ends: Ends): Promise<BrokenWay[]> {
  const numbers = Array.from({ length: ends.count }, (_, number) => number)
  const all = numbers.flatMap((from) => numbers.filter((to) => to !== from).map((to) => ({ from, to })))
  let broken: readonly Way[] = all
  for (let attempt = 0; attempt < attempts; attempt++) broken = await silentOf(ends, broken, 'whole')
  const dead = new Set(await silentOf(ends, broken, 'small'))
  return broken.map((way) => ({ ...way, passesSmall: !dead.has(way) }))
}

/** The ways on which nothing arrives. Nobody is sent to by two at once: who sent what has arrived is known by that. */
async function silentOf(ends: Ends, ways: readonly Way[], size: Size): Promise<Way[]> {
  const rounds = Map.groupBy(ways, ({ from, to }) => (to - from + ends.count) % ends.count)
  const silent: Way[] = []
  for (const round of rounds.values()) {
    const counts = () => Promise.all(round.map(({ to }) => ends.received(to)))
    const before = await counts()
    await Promise.all(round.map(({ from, to }) => ends.send(from, to, size)))
    const after = await counts()
    silent.push(...round.filter((_, index) => after[index] === before[index]))
  }
  return silent
}
