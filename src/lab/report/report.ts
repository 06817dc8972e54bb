/** Puts a report together from what a recorder knows. */
import { timestamp } from '../../kernel/process/clock.ts'
import { type Assertion, judge } from './assertions.ts'
import type { Findings } from './findings.ts'
import { type Line, linesOf, totalOf } from './ledger.ts'
import type { Recorder } from './recorder.ts'
import { hasBackOff } from './retries.ts'
import { isOf, publicLimit, type Run, type Whose } from './run.ts'
import type { Report } from './schema.ts'
import { Tally } from './tally.ts'

export interface ReportOptions {
  readonly whose: Whose
  readonly assertions: readonly Assertion[]
  /** The time of the lab. */
  readonly nowMs: number
  readonly currency: string
}

export function reportOf(recorder: Recorder, run: Run, { whose, assertions, nowMs, currency }: ReportOptions): Report {
  const found = recorder.bringUp(run).findings(whose)
  const all = found.map(([, findings]) => findings)
  const report = {
    run: runToWire(run),
    token: whose.token ?? null,
    project: whose.project ?? null,
    ...requestsOf(all),
    ...noticedIn(all),
    unawaited_actions: found.flatMap(([caller]) => run.actions.unawaited(caller)).sort(byId),
    ...resourcesOf(recorder, run, whose, nowMs, currency),
  }
  return { ...report, assertions: judge(report, assertions) }
}

export function runToWire({ id, name, started, ended }: Run): Report['run'] {
  return { id, name, started: timestamp(started.atMs), ended: ended ? timestamp(ended.atMs) : null }
}

function requestsOf(all: readonly Findings[]) {
  const total = (pick: (findings: Findings) => number) => all.reduce((sum, findings) => sum + pick(findings), 0)
  const requests = total((findings) => findings.requests)
  const polls = total((findings) => findings.polls)
  const first = all.flatMap(({ throttledFrom }) => throttledFrom ?? [])
  return {
    requests,
    operations: Tally.joined(all.map(({ answers }) => answers)).list(),
    polling: { requests: polls, share: requests === 0 ? 0 : Math.round((polls / requests) * 10_000) / 10_000 },
    throttling: {
      limit: publicLimit,
      requests: total(({ throttled }) => throttled),
      first: first.length === 0 ? null : timestamp(Math.min(...first)),
    },
  }
}

function noticedIn(all: readonly Findings[]) {
  return {
    retries: Tally.joined(all.map(({ retries }) => retries.tally))
      .list()
      .map(({ operation, code, pause, count }) => ({ operation, code, back_off: hasBackOff(pause), pause, count })),
    unfollowed_pages: all.flatMap(({ pages }) => pages.list()),
    deprecations: Tally.joined(all.map(({ deprecated }) => deprecated))
      .list()
      .map(({ sinceMs, stopsMs, count, ...noted }) => ({ ...noted, ...datesOf(sinceMs, stopsMs), count })),
    unknown_fields: Tally.joined(all.map(({ unknown }) => unknown)).list(),
  }
}

function datesOf(sinceMs: number | null, stopsMs: number | null) {
  const date = (ms: number | null) => (ms === null ? null : timestamp(ms))
  return { since: date(sinceMs), stops: date(stopsMs) }
}

const byId = (a: { readonly id: number }, b: { readonly id: number }) => a.id - b.id

function resourcesOf(recorder: Recorder, run: Run, whose: Whose, nowMs: number, currency: string) {
  const lives = recorder.ledger.list().filter((life) => run.hasEvent(life.born) && isOf(whose, life))
  const untilMs = run.ended?.atMs ?? nowMs
  const lines = lives.flatMap((life) => linesOf(life, untilMs))
  return {
    leftovers: lives
      .filter(({ gone }) => !gone || !run.hasEvent(gone.event))
      .map(({ type, id, name, project, createdMs }) => ({ type, id, name, project, created: timestamp(createdMs) })),
    cost: { currency, net: totalOf(lines), lines: lines.map(lineToWire) },
  }
}

function lineToWire({ fromMs, untilMs, hourly, ...line }: Line): Report['cost']['lines'][number] {
  return {
    ...line,
    created: timestamp(fromMs),
    deleted: untilMs === undefined ? null : timestamp(untilMs),
    price_hourly: hourly,
  }
}
