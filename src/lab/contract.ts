/** The lab on the wire, below `/wolke/v1`: what people who test infrastructure code ask of a cloud (docs/testing.md). */
import { Type } from 'typebox'
import {
  closedObject,
  defineEndpoints,
  Id,
  integerParam,
  named,
  nullable,
  Timestamp,
} from '../kernel/contract/contract.ts'
import { clockModes } from './clock.ts'

const own = { family: 'clock', section: 'The lab', needs: 'operator' } as const

const Event = named('ClockEvent', {
  time: Timestamp,
  event: Type.String(),
  resource: nullable(Type.Object({ id: Id, type: Type.String() })),
  project: nullable(Id),
})

const Clock = named('Clock', {
  now: Timestamp,
  mode: Type.Enum([...clockModes]),
  next_event: nullable(Event),
})

const clock = Type.Object({ clock: Clock })

export const labEndpoints = defineEndpoints({
  getClock: {
    ...own,
    method: 'GET',
    path: '/clock',
    summary: 'Tell the time of the lab, and what happens next',
    status: 200,
    reply: clock,
    errors: ['unsupported_error'],
  },
  setClock: {
    ...own,
    method: 'PUT',
    path: '/clock',
    summary: 'Let time run, stand still, or skip to what happens next whenever somebody waits',
    body: closedObject({ mode: Type.Enum([...clockModes]) }),
    status: 200,
    reply: clock,
    errors: ['unsupported_error'],
  },
  advanceClock: {
    ...own,
    method: 'POST',
    path: '/clock/advance',
    summary: 'Move time on, and let everything happen that has its date until then',
    body: closedObject({
      by: Type.Optional(Type.String({ maxLength: 32, examples: ['30d', '1h30m'] })),
      to: Type.Optional(Type.String({ maxLength: 40, examples: ['2027-04-01T00:00:00Z'] })),
    }),
    status: 200,
    reply: clock,
    errors: ['unsupported_error'],
  },
  listClockEvents: {
    ...own,
    method: 'GET',
    path: '/clock/events',
    summary: 'List what happens next by itself, and when',
    query: { limit: integerParam('The most events', 25, 1_000, true) },
    status: 200,
    reply: Type.Object({ events: Type.Array(Event) }),
    errors: ['unsupported_error'],
  },
})
