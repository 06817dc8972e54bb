/** Runs and their reports through the API. */
import { families } from '../../families.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import { secretFields } from '../../kernel/contract/marks.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Platform } from '../../platform.ts'
import type { Assertion } from './assertions.ts'
import type { reportEndpoints } from './contract.ts'
import { toHar } from './har.ts'
import { SecretNames } from './masks.ts'
import { mostRequests, type Recorder } from './recorder.ts'
import { reportOf, runToWire } from './report.ts'
import type { Run, Whose } from './run.ts'

export interface Reports {
  readonly recorder: Recorder
  readonly platform: Pick<Platform, 'clock' | 'catalogue'>
  /** The version of the program. */
  readonly version: string
}

/** One handler for each endpoint. `reports` throws where nothing is recorded. */
export function reportRoutes(reports: () => Reports): Handlers<typeof reportEndpoints> {
  const recorder = () => reports().recorder
  const now = () => reports().platform.clock.now()
  const report = (run: Run, { fail_on: assertions, ...whose }: Whose & { readonly fail_on: readonly Assertion[] }) => {
    const { recorder, platform } = reports()
    const { currency } = platform.catalogue.pricing
    return { report: reportOf(recorder, run, { whose, assertions, nowMs: now(), currency }) }
  }
  return {
    getWholeReport: async ({ query }) => report(recorder().whole, query),
    getWholeHar: async ({ query, origin }) => harOf(reports(), recorder().whole, query, origin()),
    listRuns: async () => ({ runs: recorder().runs().map(runToWire) }),
    startRun: async ({ body: { name } }) => ({ run: runToWire(recorder().begin(name, now())) }),
    getRun: async ({ params: { id } }) => ({ run: runToWire(recorder().run(id)) }),
    endRun: async ({ params: { id } }) => ({ run: runToWire(recorder().end(id, now())) }),
    deleteRun: async ({ params: { id } }) => recorder().remove(id),
    getReport: async ({ params: { id }, query }) => report(recorder().run(id), query),
    getHar: async ({ params: { id }, query, origin }) => harOf(reports(), recorder().run(id), query, origin()),
  }
}

function harOf({ recorder, version }: Reports, run: Run, whose: Whose, origin: string) {
  const requests = recorder.requests(run, whose)
  const secret = new SecretNames(secretFields(families.flatMap(({ endpoints }) => Object.values(endpoints))))
  const comment = `The last ${requests.length} requests of run ${run.id} (${run.name}); a server keeps ${mostRequests} at most`
  return toHar(requests, { origin, version, secret, comment })
}

/** Errors: `unsupported_error` where there is no lab. */
export function recording(reports: Reports | undefined): Reports {
  if (reports) return reports
  throw new ApiError('unsupported_error', 'nothing is recorded here: the server has no lab')
}
