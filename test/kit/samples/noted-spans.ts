/** A tracer that notes the spans of the code under test. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { TestContext } from 'node:test'
import { type Span, type SpanStart, type Tracer, traceWith } from '../../../src/kernel/process/tracing.ts'

/** A span as a test sees it: its name below those of the spans above it. */
export interface Noted {
  readonly path: string
  readonly attributes: Record<string, unknown>
  failure: string | undefined
  isEnded: boolean
}

/** Has everything traced until a test ends; its spans are handed on by their places in the list. */
export function noting(t: TestContext): { readonly tracer: Tracer; readonly spans: readonly Noted[] } {
  const running = new AsyncLocalStorage<Span | undefined>()
  const spans: Noted[] = []
  const idOf = (traceparent: string | undefined) => (traceparent === undefined ? -1 : Number(traceparent.split('-')[2]))
  const begin = ({ name, attributes = {}, parent }: SpanStart): Span => {
    const above = spans[idOf(parent ? parent.traceparent : running.getStore()?.traceparent)]
    const noted: Noted = {
      path: above ? `${above.path} > ${name}` : name,
      attributes: { ...attributes },
      failure: undefined,
      isEnded: false,
    }
    const id = spans.push(noted) - 1
    return {
      traceId: '1'.repeat(32),
      traceparent: `00-${'1'.repeat(32)}-${String(id).padStart(16, '0')}-01`,
      rename: () => undefined,
      add: (more) => void Object.assign(noted.attributes, more),
      fail: (type) => {
        noted.failure = type
      },
      end: () => {
        noted.isEnded = true
      },
    }
  }
  const tracer = {
    begin,
    current: () => running.getStore(),
    run: <T>(span: Span | undefined, work: () => T) => running.run(span, work),
  }
  traceWith(tracer)
  t.after(() => traceWith(undefined))
  return { tracer, spans }
}
