/**
 * The actions that issue and renew managed certificates, in the same steps: check what can be known beforehand, open an
 * order and place its challenges, let the authority validate them, and fetch the chain. The order and its private key are
 * stored until the end, so that another process can continue; the challenges are removed however the action ends.
 */
import {
  type ActionInput,
  DriverError,
  defineAction,
  defineStep,
  type StepContext,
} from '../../../kernel/actions/define.ts'
import { type ActionStart, toStart } from '../../../kernel/actions/store.ts'
import { ApiError } from '../../../kernel/errors.ts'
import { Exhausted } from '../../../kernel/process/side-thread.ts'
import { makePrivateKey, makeRequest } from '../../../protocols/net/x509-requests.ts'
import type { Challenge } from '../../zones/effects.ts'
import { caaRecords, zoneNameOf, zonesOfDomains } from '../../zones/reads.ts'
import { tellUsers } from '../attachments.ts'
import { type Certificate, type CertificateFacts, strictest } from '../domain.ts'
import { openReader } from '../parser.ts'
import { certificates } from '../store.ts'
import { bareDomain, caaAllows } from './domain.ts'
import type { AuthorityOrder } from './driver.ts'
import { tellOfFailure } from './mail.ts'
import { getOrder, getOrderKey, openOrder, putFailure, putIssued } from './store.ts'

interface Input extends ActionInput {
  readonly certificate: number
}
type Context = StepContext<Input>

/** A failure that is not retried (spec: Certificates). */
function refusal(code: string, message: string): DriverError {
  return new DriverError(message, { transient: false, code })
}

/** Turns `not_found` into a failure: somebody deleted the certificate, its order or a zone meanwhile. */
function goneMeanwhile(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
  throw new DriverError('the certificate, or a zone that it needs, was deleted', { transient: false, cause: error })
}

/** A certificate that was there when its action began. Errors: `DriverError` when it was deleted meanwhile. */
async function getThere(...[query, scope, id]: Parameters<typeof certificates.get>) {
  try {
    return await certificates.get(query, scope, id)
  } catch (error) {
    return goneMeanwhile(error)
  }
}

async function orderOf({ query, scope, input }: Context) {
  const id = input.certificate
  const { domainNames: domains } = await getThere(query, scope, id)
  const { url, challenges } = await getOrder(query, scope, id).catch(goneMeanwhile)
  const order: AuthorityOrder = { certificateId: id, domains, url }
  return { order, challenges }
}

// ---- What can be known beforehand ----------------------------------------------------------------------------------

/** Each domain with its zone, in one lookup. Errors: a refusal for a domain without a zone or in a secondary zone. */
async function withZones({ query, scope }: Context, domains: readonly string[]) {
  const zones = await zonesOfDomains(query, scope, domains)
  return domains.map((domain) => {
    const zone = zones.get(domain)
    if (!zone) throw refusal('dns_zone_not_found', `the Project has no DNS zone for ${domain}`)
    if (zone.mode !== 'primary') {
      throw refusal('dns_zone_is_secondary_zone', `${domain} is in the secondary zone ${zone.name}`)
    }
    return { domain, zone }
  })
}

async function check(context: Context): Promise<void> {
  const { query, scope, input, drivers } = context
  const { domainNames } = await getThere(query, scope, input.certificate)
  const found = await withZones(context, domainNames)
  const identities = await drivers.authority.caaIdentities()
  for (const inZone of Map.groupBy(found, ({ zone }) => zone.id).values()) {
    const { zone } = inZone[0]!
    const domains = inZone.map(({ domain }) => domain)
    const records = await caaRecords(query, scope, zone, domains.map(bareDomain))
    const forbidden = domains.find((domain) => !caaAllows(records, domain, identities))
    if (forbidden !== undefined) {
      const message = `a CAA record does not allow the certificate authority for ${forbidden}`
      throw refusal('caa_record_does_not_allow_ca', message)
    }
    if (!(await drivers.delegation.isDelegated(zone.name))) {
      const message = `${zone.name} is not delegated to its name servers here`
      throw refusal('could_not_verify_domain_delegated_to_zone', message)
    }
  }
}

// ---- The order -----------------------------------------------------------------------------------------------------

async function order(context: Context) {
  const { query, scope, input, drivers } = context
  const { domainNames: domains, chain } = await getThere(query, scope, input.certificate)
  const request = { certificateId: input.certificate, domains, replaces: chain }
  const { url, challenges } = await drivers.authority.order(request)
  const zones = await withZones(
    context,
    challenges.map(({ domain }) => domain),
  )
  const placed: Challenge[] = challenges.map((challenge, i) => ({ ...challenge, zoneId: zones[i]!.zone.id }))
  return { url, challenges: placed, privateKey: await makePrivateKey() }
}

async function validate(context: Context): Promise<void> {
  const { order, challenges } = await orderOf(context)
  const { authority, delegation } = context.drivers
  await Promise.all(challenges.map((challenge) => delegation.awaitChallenge(zoneNameOf(challenge.domain)!, challenge)))
  await authority.validate(order)
}

async function issue(context: Context) {
  const { query, secrets, scope, input } = context
  const { order } = await orderOf(context)
  const privateKey = await getOrderKey(query, secrets, scope, input.certificate).catch(goneMeanwhile)
  const request = await makeRequest(order.domains, privateKey)
  const certificate = await context.drivers.authority.issue(order, request)
  return { certificate, privateKey, facts: await readIssued({ certificate, privateKey }, order.domains) }
}

const readPair = openReader()

/** Checks the chain that came: an authority may err, and something else may answer in its name. */
async function readIssued(
  keyPair: { certificate: string; privateKey: string },
  domains: readonly string[],
): Promise<CertificateFacts> {
  const unusable = (cause: unknown, transient = false) =>
    new DriverError('the certificate authority gave a certificate that cannot be used', { transient, cause })
  const result = await readPair(keyPair, strictest).catch((error: unknown) => {
    throw error instanceof Exhausted ? unusable(error, true) : error
  })
  if (!result.ok) throw unusable(result.message)
  const { domainNames } = result.facts
  const isForThem = domainNames.length === domains.length && domains.every((domain) => domainNames.includes(domain))
  if (!isForThem) throw unusable('it is for other domains')
  return result.facts
}

function issuingAction(command: string) {
  return defineAction<Input>({
    family: 'certificates',
    command,
    steps: [
      { name: 'check', run: check },
      defineStep({
        name: 'order',
        run: order,
        commit: (tx, { secrets, scope, input }: Context, opened) =>
          openOrder(tx, secrets, scope, input.certificate, opened).catch(goneMeanwhile),
      }),
      { name: 'validate', run: validate },
      defineStep({
        name: 'issue',
        run: issue,
        async commit(tx, { secrets, scope, input, drivers }: Context, issued) {
          const asksForHints = drivers.authority.renewalHint !== undefined
          await putIssued(tx, secrets, scope, input.certificate, { ...issued, asksForHints }).catch(goneMeanwhile)
          await tellUsers(tx, scope, input.certificate)
        },
      }),
    ],
    async revert(tx, { actionId, scope, input }, failure) {
      const certificate = await putFailure(tx, scope, input.certificate, failure)
      if (!certificate) return
      const of = certificate.chain === null ? 'issuance' : 'renewal'
      await tellOfFailure(tx, scope, certificate, { of, code: failure.code, occurrence: actionId })
    },
  })
}

export const createManaged = issuingAction('create_certificate')
export const issueAgain = issuingAction('issue_certificate')
export const certificateActions = [createManaged, issueAgain]

/** The start of an action that issues a certificate. */
export function startIssuing(definition: typeof createManaged, { id }: Pick<Certificate, 'id'>): ActionStart {
  return toStart({ definition, input: { certificate: id }, resources: [certificates.ref(id)] })
}
