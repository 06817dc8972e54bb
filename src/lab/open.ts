/** Puts the time of a lab together from the parts of the program that follow it. */
import { families } from '../families.ts'
import { tokenEnds } from '../kernel/access/tokens.ts'
import { pauseEnds } from '../kernel/actions/claims.ts'
import type { Engine } from '../kernel/actions/engine.ts'
import type { Queries } from '../kernel/data/db.ts'
import { isMailWaiting, repetitions } from '../kernel/mail/deliveries.ts'
import type { Mailer } from '../kernel/mail/mailer.ts'
import type { EventSource } from '../kernel/process/clock.ts'
import type { Jobs } from '../kernel/process/jobs.ts'
import type { PersonMail } from '../people/mail/mail.ts'
import { isPersonMailWaiting, personMailAgain } from '../people/mail/mail-store.ts'
import { invitationEnds } from '../people/memberships/invitation-store.ts'
import type { Events, Platform } from '../platform.ts'
import type { LabClock } from './clock.ts'
import { apiChanges } from './events.ts'
import type { Rules } from './faults/rules.ts'
import { Time } from './time.ts'
import { kept } from './upcoming.ts'

interface Parts {
  readonly clock: LabClock
  readonly platform: Platform
  readonly engine: Pick<Engine, 'drain' | 'settle' | 'goOn'>
  readonly jobs: Pick<Jobs, 'timed' | 'run'>
  readonly mailer: Mailer
  readonly personMail: PersonMail | undefined
  readonly rules: Pick<Rules, 'ends'>
  /** Lets name servers do what has become due; who does not answer is noted, and is not waited for again. */
  look(silent: Set<string>): Promise<void>
}

export function openTime(parts: Parts): Time {
  const { clock, platform, engine, jobs, mailer, personMail, rules, look } = parts
  const { query, watch } = platform.db
  const silent = new Set<string>()
  const goThere = () => look(silent)
  const pauses = sourceIn(query, pauseEnds)
  const isMail = kept(watch, () => isMailWaiting(query))
  const isPersonMail = kept(watch, () => isPersonMailWaiting(query))
  const ofFamily =
    (events: Events): EventSource =>
    (...asked) =>
      events(platform, ...asked)
  return new Time({
    clock,
    watch,
    pauses,
    ends: rules.ends,
    async drain() {
      // Whoever moves time again may have brought him back.
      silent.clear()
      await engine.drain()
      await mailer.run()
      await personMail?.run()
    },
    async settle() {
      await engine.settle()
      // Some of it may wait for what has no date, such as the mail of a day that is too much for its Project.
      if (await isMail()) await mailer.run()
      if (await isPersonMail()) await personMail?.run()
    },
    async tidy() {
      await jobs.run()
      await goThere()
    },
    timed: [
      ...jobs.timed,
      {
        due: pauses,
        run(due) {
          engine.goOn(due.map(({ subject }) => subject!.id))
          return engine.settle()
        },
      },
      { due: sourceIn(query, repetitions), run: () => mailer.run() },
      { due: sourceIn(query, personMailAgain), run: async () => personMail?.run() },
      ...families.map(({ serviceEvents }) => ({ due: ofFamily(serviceEvents), run: goThere })),
    ],
    passive: [
      apiChanges,
      sourceIn(query, tokenEnds),
      sourceIn(query, invitationEnds),
      ...families.map(
        ({ events }): EventSource =>
          (afterMs, limit) =>
            events(platform, afterMs, limit),
      ),
    ],
  })
}

const sourceIn =
  (query: Queries, next: (query: Queries, ...asked: Parameters<EventSource>) => ReturnType<EventSource>): EventSource =>
  (...asked) =>
    next(query, ...asked)
