/** A name server that answers late, with a failure or not at all where somebody wants it to. */
import { printName } from '../protocols/net/dns/names.ts'
import type { Answering } from './answering.ts'
import { rcodes, readQuery, writeRefusal } from './message.ts'

/** Tells what becomes of a question, by the name without its last dot, once it is time; undefined for the usual. */
export type Disturb = (name: string) => Promise<'answer' | 'fail' | 'ignore'> | undefined

export function disturbed(plain: Answering, disturb: Disturb): Answering {
  const verdictOn = (bytes: Buffer) => {
    const query = readQuery(bytes)
    return typeof query === 'object' && 'name' in query ? disturb(printName(query.name).slice(0, -1)) : undefined
  }
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

function instead(verdict: 'fail' | 'ignore', bytes: Buffer): Buffer | undefined {
  return verdict === 'fail' ? writeRefusal(bytes, rcodes.serverFailure) : undefined
}
