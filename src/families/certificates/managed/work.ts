/** Managed certificates: asked for, and tried again after a failure. */
import { actionToWire } from '../../../kernel/actions/routes.ts'
import { startAction } from '../../../kernel/actions/store.ts'
import type { Calls } from '../../../kernel/contract/contract.ts'
import { ApiError, invalidInput } from '../../../kernel/errors.ts'
import { act, adding } from '../../../kernel/resource/work.ts'
import type { Platform } from '../../../platform.ts'
import type { certificateEndpoints } from '../contract.ts'
import { certificates } from '../store.ts'
import { certificateToWire } from '../view.ts'
import { createManaged, issueAgain, startIssuing } from './actions.ts'
import { parseDomains } from './domain.ts'
import { insertManaged, putPending } from './store.ts'

type Call = Calls<typeof certificateEndpoints>

/** Makes a certificate that is issued afterwards. Errors: those that the contract declares. */
export async function create(platform: Platform, { scope, body }: Call['create']) {
  const { name, labels = {} } = body
  const domainNames = domainsOf(body)
  return adding(platform, certificates, scope, async (tx) => {
    const certificate = await insertManaged(tx, scope, { name, labels, domainNames })
    const action = actionToWire(await startAction(tx, scope, startIssuing(createManaged, certificate)))
    return { added: certificate, reply: { certificate: certificateToWire(certificate), action } }
  })
}

/** Issues or renews a certificate anew. Errors: `unsupported_error` where nothing has failed. */
export const retry = (platform: Platform, call: Call['retry']) =>
  act(platform, certificates, call, async (tx, certificate) => {
    const { status } = certificate
    if (status?.issuance !== 'failed' && status?.renewal !== 'failed') {
      throw new ApiError('unsupported_error', 'certificate not retryable')
    }
    await putPending(tx, call.scope, certificate)
    return startIssuing(issueAgain, certificate)
  })

/** The domains that are asked for. Errors: `invalid_input` for each wrong one, and for fields of uploads. */
function domainsOf({ domain_names, ...body }: Call['create']['body']): string[] {
  const misplaced = (['certificate', 'private_key'] as const).filter((field) => body[field] !== undefined)
  if (misplaced.length > 0) {
    throw invalidInput(misplaced.map((field) => ({ field, message: 'is for uploaded certificates only' })))
  }
  return parseDomains(domain_names)
}
