/** Lets requests pass an interceptor, once each. */
import { pathOf } from '../contract/urls.ts'
import type { ApiError } from '../errors.ts'
import { toRefusal } from './admission/refusal.ts'
import type { Incoming, Outgoing } from './api/exchange.ts'
import type { Interceptor, Passage } from './interceptor.ts'

/** The passage of a request; `call` is missing for one that is refused before its handler. */
export function passageOf(request: Incoming, reply: Outgoing, call?: Passage['call']): Passage {
  const { id, method, principal, params, url, routeOptions } = request
  request.isIntercepted = true
  const { stream, endpoint } = routeOptions.config
  return {
    ...{ id, method, path: pathOf(url), asked: stream ?? endpoint, isRefused: call === undefined },
    call: call ?? {
      caller: principal,
      scope: principal?.scope,
      params: params as Passage['call']['params'],
      body: undefined,
    },
    response: reply.raw,
    header: (name, value) => void reply.header(name, value),
  }
}

/** The refusal of a request as its client gets it: one that is refused before its handler is intercepted here. */
export async function intercepted(
  request: Incoming,
  reply: Outgoing,
  refusal: ApiError,
  { interceptor }: { readonly interceptor?: Interceptor },
): Promise<ApiError> {
  if (!interceptor || request.isIntercepted) return refusal
  try {
    return await interceptor(passageOf(request, reply), () => Promise.reject(refusal))
  } catch (error) {
    return toRefusal(error, { isRead: true, mostBytes: 0 })
  }
}
