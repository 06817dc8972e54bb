/** A name server that answers late, with a failure or not at all where somebody wants it to. */
import { printName } from '../protocols/net/dns/names.ts'
import type { Answering } from './answering.ts'
import { rcodes, readQuery, writeRefusal } from './message.ts'

/**
 * Tells what becomes of a question once it is time; undefined for the usual. `nameOf` reads the name without its last dot,
 * and says undefined for what is no question.
 */
export type Disturb = (nameOf: () => string | undefined) => Promise<'answer' | 'fail' | 'ignore'> | undefined

export function disturbed(plain: Answering, disturb: Disturb): Answering {
  const verdictOn = (bytes: Buffer) => disturb(() => nameIn(bytes))
  return {
    udp(bytes, address) {
      const verdict = verdictOn(bytes)
      if (!verdict) return plain.udp(bytes, address)
      return verdict.then((one) => (one === 'answer' ? plain.udp(bytes, address) : instead(one, bytes)))
    },
    async *tcp(bytes, address) {
      const verdict = (await verdictOn(bytes)) ?? 'answer'
      if (verdict === 'answer') return yield* plain.tcp(bytes, address)
      const answer = instead(verdict, bytes)
      if (answer) yield answer
    },
  }
}

function nameIn(bytes: Buffer): string | undefined {
  const query = readQuery(bytes)
  return typeof query === 'object' && 'name' in query ? printName(query.name).slice(0, -1) : undefined
}

function instead(verdict: 'fail' | 'ignore', bytes: Buffer): Buffer | undefined {
  return verdict === 'fail' ? writeRefusal(bytes, rcodes.serverFailure) : undefined
}
