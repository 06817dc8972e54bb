/**
 * The seam to traces: where operators want none there is no tracer, and nothing is loaded, kept or awaited for them
 * (docs/adr/0050-traces-at-a-seam.md).
 */
import { type AtOnce, ending } from './at-once.ts'
import { Postponed } from './faults.ts'

export type Attributes = Readonly<Record<string, string | number | boolean | readonly number[] | undefined>>

/** The headers of W3C Trace Context, as they came. */
export interface TraceHeaders {
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

export interface SpanStart {
  readonly name: string
  /** Missing for what this process does within itself. */
  readonly kind?: 'incoming' | 'outgoing'
  readonly attributes?: Attributes
  /** A span of another process or another time, which begins a trace if it is none; the one of the caller by default. */
  readonly parent?: TraceHeaders
}

/** One piece of work of a trace, until it ends. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** Hands the span on (W3C Trace Context, 3.2). */
  readonly traceparent: string
  rename(name: string): void
  add(attributes: Attributes): void
  /** Marks it as failed, with an error of low cardinality. */
  fail(type: string): void
  end(): void
}

export interface Tracer {
  /** Begins a span; whoever begins it ends it. */
  begin(start: SpanStart): Span
  /** The span that the caller runs in. */
  current(): Span | undefined
  /** Runs `work`, and everything that it starts, in a span or in none. */
  run<T>(span: Span | undefined, work: () => T): T
}

/** Undefined as long as nobody wants traces. */
export let tracer: Tracer | undefined

/** Has all later work traced, or none. */
export function traceWith(given: Tracer | undefined): void {
  tracer = given
}

/** Does work in a span of its own, which ends with it. */
export function inSpan<T>(by: Tracer, start: SpanStart, work: () => AtOnce<T>): AtOnce<T> {
  const span = by.begin(start)
  return ending(
    () => by.run(span, () => noting(span, work)),
    () => span.end(),
  )
}

/** Does work whose errors are noted in a span. */
function noting<T>(span: Span, work: () => AtOnce<T>): AtOnce<T> {
  try {
    const made = work()
    return made instanceof Promise ? notingLater(span, made) : made
  } catch (error) {
    noteError(span, error)
    throw error
  }
}

async function notingLater<T>(span: Span, made: Promise<T>): Promise<T> {
  try {
    return await made
  } catch (error) {
    noteError(span, error)
    throw error
  }
}

/** Says what kind of error one is. Its message may have been made of anything, so it stays out. */
export function noteError(span: Span, error: unknown): void {
  if (error instanceof Postponed) return
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  span.fail(String(code ?? name ?? 'error').slice(0, 100))
}

/** The id of the trace that a span is in, by what was handed on of it. */
export function traceIdOf(traceparent: string | null | undefined): string | undefined {
  return traceparent?.slice(3, 35)
}
