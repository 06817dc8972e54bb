/** Certificates through the API. Uploaded ones are there at once; actions issue and renew managed ones. */
import type { Static } from 'typebox'
import { actionToWire } from '../../kernel/actions/routes.ts'
import { startAction } from '../../kernel/actions/store.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import type { Queries } from '../../kernel/data/db.ts'
import { ApiError, invalidInput } from '../../kernel/errors.ts'
import { enforceLimit } from '../../kernel/resource/limits.ts'
import { beforeWrite, changedMeanwhile, optimistically } from '../../kernel/resource/update.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { createManaged, issueAgain, startIssuing } from './actions.ts'
import type { certificateEndpoints } from './contract.ts'
import type { Certificate, KeyPair } from './domain.ts'
import { parseDomains } from './managed.ts'
import { endOrder, lockCertificate, putPending } from './orders.ts'
import { openParser } from './parser.ts'
import {
  deleteCertificate,
  getCertificate,
  insertManaged,
  insertUploaded,
  limitedCertificates,
  listCertificates,
  updateCertificate,
  usersOf,
} from './store.ts'
import { certificateToWire } from './view.ts'

type Asked = Static<(typeof certificateEndpoints)['create']['body']>

/** One handler for each endpoint. */
export function certificateRoutes({
  db,
  clock,
  faults,
  limits,
  secrets,
}: Platform): Handlers<typeof certificateEndpoints> {
  const parse = openParser()

  const show = async (query: Queries, scope: ProjectScope, certificates: readonly Certificate[]) => {
    const users = await usersOf(
      query,
      scope,
      certificates.map(({ id }) => id),
    )
    return certificates.map((one) => certificateToWire(one, users.get(one.id) ?? []))
  }
  const showOne = async (query: Queries, scope: ProjectScope, certificate: Certificate) =>
    (await show(query, scope, [certificate]))[0]!

  return {
    async list({ scope, query }) {
      const { certificates, pagination } = await listCertificates(db.query, scope, query, { type: query.type })
      return { certificates: await show(db.query, scope, certificates), meta: { pagination } }
    },

    async create({ scope, body }) {
      const { name, labels = {}, type = 'uploaded' } = body
      if (type === 'managed') {
        const domainNames = managedDomains(body)
        return db.transact(async (tx) => {
          await enforceLimit(tx, scope, limitedCertificates, limits)
          const certificate = await insertManaged(tx, scope, { name, labels, domainNames })
          const action = await startAction(tx, scope, startIssuing(createManaged, certificate))
          return { certificate: certificateToWire(certificate, []), action: actionToWire(action) }
        })
      }
      const keyPair = uploadedPair(body)
      const facts = await parse(keyPair, clock.now())
      const certificate = await db.transact(async (tx) => {
        await enforceLimit(tx, scope, limitedCertificates, limits)
        return insertUploaded(tx, secrets, scope, { name, labels, facts, ...keyPair })
      })
      return { certificate: certificateToWire(certificate, []), action: null }
    },

    async get({ scope, params }) {
      return { certificate: await showOne(db.query, scope, await getCertificate(db.query, scope, params.id)) }
    },

    async update({ scope, params, body }) {
      const certificate = await optimistically(async () => {
        const before = await getCertificate(db.query, scope, params.id)
        await beforeWrite(faults, 'certificate')
        const { name = before.name, labels = before.labels } = body
        return db.transact(async (tx) => {
          const after = await updateCertificate(tx, scope, before, { name, labels })
          return after === changedMeanwhile ? after : showOne(tx.query, scope, after)
        })
      })
      return { certificate }
    },

    remove: ({ scope, params: { id } }) =>
      db.transact(async (tx) => {
        await lockCertificate(tx, scope, id)
        await endOrder(tx, scope, id)
        await deleteCertificate(tx, scope, id)
      }),

    retry: ({ scope, params }) =>
      db.transact(async (tx) => {
        const certificate = await lockCertificate(tx, scope, params.id)
        const { status } = certificate
        if (status?.issuance !== 'failed' && status?.renewal !== 'failed') {
          throw new ApiError('unsupported_error', 'certificate not retryable')
        }
        await putPending(tx, scope, certificate)
        return { action: actionToWire(await startAction(tx, scope, startIssuing(issueAgain, certificate))) }
      }),
  }
}

/** What an upload has to bring. Errors: `invalid_input` for each field that is missing or out of place. */
function uploadedPair({ certificate, private_key: privateKey, domain_names }: Asked): KeyPair {
  if (certificate !== undefined && privateKey !== undefined && domain_names === undefined) {
    return { certificate, privateKey }
  }
  throw invalidInput([
    ...(certificate === undefined ? [{ field: 'certificate', message: 'is required' }] : []),
    ...(privateKey === undefined ? [{ field: 'private_key', message: 'is required' }] : []),
    ...(domain_names === undefined ? [] : [{ field: 'domain_names', message: 'is for managed certificates only' }]),
  ])
}

/** The domains of a managed certificate. Errors: `invalid_input` for each that cannot be one, and for what belongs to uploads. */
function managedDomains({ domain_names, ...asked }: Asked): string[] {
  const misplaced = (['certificate', 'private_key'] as const).filter((field) => asked[field] !== undefined)
  if (misplaced.length > 0) {
    throw invalidInput(misplaced.map((field) => ({ field, message: 'is for uploaded certificates only' })))
  }
  return parseDomains(domain_names)
}
