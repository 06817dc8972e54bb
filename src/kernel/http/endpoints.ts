/** Carries out requests for endpoints: from the admitted request to its answer, at once where nothing has to be awaited. */
import type { ApiCall, Endpoint } from '../contract/contract.ts'
import { bodyCheck } from '../contract/input.ts'
import { LaterReply } from '../contract/later.ts'
import { type AtOnce, after, ending } from '../process/at-once.ts'
import { onBehalfOf } from '../process/behalf.ts'
import { tracer } from '../process/tracing.ts'
import { reading } from '../process/turns.ts'
import { checkCalendar } from './admission/calendar.ts'
import { findNamed } from './admission/named-projects.ts'
import { type Handled, narrowingOf, type Readers } from './admission/narrowing.ts'
import { askedAt, noteOf } from './admission/notes.ts'
import { readInput, readParams, toCall } from './api/calls.ts'
import type { Incoming, Outgoing } from './api/exchange.ts'
import { answer, linksFrom, type Replying } from './api/replies.ts'
import { passageOf } from './interception.ts'
import type { EdgeOptions } from './mounting.ts'
import type { CloudParts } from './seats.ts'
import type { Clouds } from './server/clouds.ts'
import { resumed } from './server/traced.ts'

/** An endpoint below its base, with its handler. */
export type Mounted = Replying & Handled

/** Answers an admitted request. Errors: its refusal. */
export type CarryOut = (request: Incoming, reply: Outgoing) => AtOnce<Outgoing>

interface Edge {
  readonly options: EdgeOptions
  readonly clouds: Clouds<CloudParts>
  readonly routes: { readonly readers: Readers }
}

/** How the requests for an endpoint are carried out. */
export function carryingOut(mounted: Mounted, { options, clouds, routes }: Edge): CarryOut {
  const { endpoint, base } = mounted
  const asked = askedAt(endpoint, base)
  const carryOut = steps(mounted, options, routes.readers)
  const enter: CarryOut = (request, reply) => {
    request.endpoint = endpoint
    request.note = noteOf(request, asked)
    const project = request.principal!.scope?.projectId
    // What changes clouds would wait for itself.
    const running = options.isChange?.(request.raw) ? undefined : clouds.running
    running?.begin()
    return ending(
      () =>
        endpoint.method === 'GET'
          ? reading(project, () => carryOut(request, reply))
          : onBehalfOf(project, () => carryOut(request, reply), request.note),
      () => running?.end(),
    )
  }
  return tracer ? resumed(tracer, enter) : enter
}

/** The steps from an admitted request to its answer. Errors: its refusal. */
function steps(mounted: Mounted, options: EdgeOptions, readers: Readers): CarryOut {
  const { endpoint, handler } = mounted
  const checkBody = endpoint.body ? bodyCheck(endpoint.body, options.vendor) : undefined
  const hasParams = endpoint.path.includes('{')
  const namesProject = endpoint.path.includes('{project_id}')
  const narrowing = narrowingOf(mounted, readers, options.query)
  const lookFirst = async (call: ApiCall<Endpoint>, isNarrowed: boolean) => {
    if (namesProject) await findNamed(call.caller, options.query)
    if (isNarrowed) await narrowing.enter(call)
  }
  const handle = (call: ApiCall<Endpoint>, isNarrowed: boolean) =>
    isNarrowed ? narrowing.fit(call).then(handler) : handler(call)
  const act = (request: Incoming, reply: Outgoing, call: ApiCall<Endpoint>, isNarrowed: boolean) => {
    const noted = (made: unknown) => {
      if (request.note) options.audit?.succeeded(request.note)
      return made
    }
    const { interceptor } = options
    const carryOut = () => after(handle(call, isNarrowed), noted)
    return interceptor ? interceptor(passageOf(request, reply, call), carryOut) : carryOut()
  }
  const finish = (request: Incoming, reply: Outgoing, made: unknown) => {
    if (!(made instanceof LaterReply)) return answer(request, reply, mounted, made, options)
    const read = async () => answer(request, reply, mounted, await made.read(), options)
    return reading(request.principal!.scope?.projectId, read)
  }
  return (request, reply) => {
    const now = options.clock.now()
    checkCalendar(endpoint, request.url, now, (path) => linksFrom(request, options) + path)
    const params = hasParams ? readParams(request.params as Record<string, string>) : {}
    const isNarrowed = request.principal!.limits?.within !== undefined
    const goOn = () => {
      let input: ReturnType<typeof readInput>
      try {
        input = readInput(request, endpoint, checkBody, now)
      } catch (refusal) {
        if (!hasParams) throw refusal
        return refuseAfter(refusal, readers.read(mounted, toCall(request, params, options)))
      }
      const made = act(request, reply, toCall(request, params, options, input), isNarrowed)
      return after(made, (one) => finish(request, reply, one))
    }
    if (!namesProject && !isNarrowed) return goOn()
    return lookFirst(toCall(request, params, options), isNarrowed).then(goOn)
  }
}

/** 404 comes before 422: the resource in the path is looked for before the input is refused. */
async function refuseAfter(refusal: unknown, read: Promise<void>): Promise<never> {
  await read
  throw refusal
}
