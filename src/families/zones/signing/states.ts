/** Tells which signed zones an operator has to care about, by what their parents were seen with last. */

import type { Queries } from '../../../kernel/data/db.ts'
import { counted, failure, fine, type Seen, unknown, warning } from '../../../kernel/process/seen.ts'
import { type SeenSigning, signings } from './host.ts'
import { keysLedTo, wantedDs } from './parent.ts'

/** So many are named. */
const mostShown = 20

/** What is seen of the signed zones; nothing where there are none. */
export async function signingsSeen(query: Queries): Promise<Seen[]> {
  const seen: Seen[] = []
  let good = 0
  for await (const one of signings(query)) {
    const trouble = troubleOf(one)
    if (!trouble) good++
    else if (seen.length < mostShown) seen.push(trouble)
  }
  return [
    ...seen,
    ...(good > 0 ? [fine('signatures', `${counted(good, 'signed zone')} with the DS records they need`)] : []),
  ]
}

function troubleOf(zone: SeenSigning): Seen | undefined {
  const { name, step, keys, parent_ds } = zone
  const wanted = wantedDs(zone)
  if (step === 'wanted' || step === 'signing' || step === 'introducing') return undefined
  if (parent_ds === null) {
    return unknown(name, 'it is not known whether its parent has a DS record of it', `see wolke dnssec show ${name}`)
  }
  const records = (JSON.parse(parent_ds) as string[]).map((hex) => Buffer.from(hex, 'hex'))
  const led = keysLedTo(name, keys, records)
  const advice = `let the registrar of ${name} have this DS record alone: ${wanted}`
  if (step === 'leaving') {
    return records.length === 0
      ? undefined
      : warning(name, 'its parent still has a DS record', 'let the registrar remove it')
  }
  if (records.length === 0) return warning(name, 'is signed, and its parent has no DS record of it', advice)
  if (led.length === 0) return failure(name, 'the DS records of its parent lead to none of its keys', advice)
  return led.includes(keys.at(-1)!) ? undefined : warning(name, 'its parent has no DS record of its next key', advice)
}
