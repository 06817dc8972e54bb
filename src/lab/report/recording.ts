/** Lets a recorder hear of what happens in a cloud. */
import { families } from '../../families.ts'
import type { Database } from '../../kernel/data/db.ts'
import type { Observe } from '../../kernel/http/api/exchange.ts'
import { followed } from '../../kernel/resource/lives.ts'
import type { LabClock } from '../clock.ts'
import { ratesIn } from './rates.ts'
import type { Recorder } from './recorder.ts'

interface Recorded extends Pick<Parameters<typeof ratesIn>[1], 'catalogue'> {
  readonly db: Database
  readonly clock: LabClock
  readonly observe?: Observe
}

/** The database and the observer of a cloud, through which the recorder hears of its resources and its requests. */
export function recorded(recorder: Recorder, { db, clock, catalogue, observe }: Recorded) {
  const rates = ratesIn(families, { catalogue })
  const observes: Observe = (exchange) => {
    recorder.observe(exchange, clock.now(), clock.mode !== 'running')
    observe?.(exchange)
  }
  return { db: followed(db, (event) => recorder.follow(event, rates)), observe: observes }
}
