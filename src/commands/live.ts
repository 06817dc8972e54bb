/** Answers commands of the same user on the same machine about a running server. */
import type { App } from '../app.ts'
import type { Diagnosis } from '../doctor/diagnosis.ts'
import { type ServingProcess, serving } from '../management/installation/status.ts'

/** A server that can be asked. Errors: `CommandFailure` when it ends meanwhile. */
export interface Live {
  status(): Promise<ServingProcess>
  diagnose(): Promise<readonly Diagnosis[]>
}

/** The questions that a server answers. */
export const questions = ['status', 'diagnose'] as const satisfies readonly (keyof Live)[]
export type LiveQuestion = (typeof questions)[number]

export const isQuestion = (text: unknown): text is LiveQuestion => questions.some((one) => one === text)

/** Answers for this process. */
export function liveOf(app: Pick<App, 'process'>): Live {
  return { status: async () => serving(app.process), diagnose: () => app.process.diagnose() }
}
