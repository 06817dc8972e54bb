/** Reports of the data plane, which has no log of its own: they go to the logs of those that it works for. */

export interface Report {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: Readonly<Record<string, string | number>>
}

export type ReportProblem = (level: Report['level'], message: string, fields: Report['fields']) => void
