/** Certificates through the API. Uploaded ones are there at once and have no actions. */
import type { Static } from 'typebox'
import type { Handlers } from '../../kernel/contract.ts'
import { ApiError, invalidInput } from '../../kernel/errors.ts'
import { enforceLimit } from '../../kernel/limits.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { beforeWrite, optimistically } from '../../kernel/update.ts'
import type { Platform } from '../../platform.ts'
import type { certificateEndpoints } from './contract.ts'
import type { Certificate, KeyPair } from './domain.ts'
import { openParser } from './parser.ts'
import {
  deleteCertificate,
  getCertificate,
  insertCertificate,
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

  const show = async (scope: ProjectScope, certificates: readonly Certificate[]) => {
    const users = await usersOf(
      db.query,
      scope,
      certificates.map(({ id }) => id),
    )
    return certificates.map((one) => certificateToWire(one, users.get(one.id) ?? []))
  }
  const showOne = async (scope: ProjectScope, certificate: Certificate) => (await show(scope, [certificate]))[0]!

  return {
    async list({ scope, query }) {
      const { certificates, pagination } = await listCertificates(db.query, scope, query, { type: query.type })
      return { certificates: await show(scope, certificates), meta: { pagination } }
    },

    async create({ scope, body }) {
      const keyPair = uploadedPair(body)
      const facts = await parse(keyPair, clock.now())
      const { name, labels = {} } = body
      const certificate = await db.transact(async (tx) => {
        await enforceLimit(tx, scope, { kind: 'certificates', table: 'certificate' }, limits)
        return insertCertificate(tx, secrets, scope, { name, labels, facts, ...keyPair })
      })
      return { certificate: certificateToWire(certificate, []), action: null }
    },

    async get({ scope, params }) {
      return { certificate: await showOne(scope, await getCertificate(db.query, scope, params.id)) }
    },

    async update({ scope, params, body }) {
      const certificate = await optimistically(async () => {
        const before = await getCertificate(db.query, scope, params.id)
        await beforeWrite(faults, 'certificate')
        const { name = before.name, labels = before.labels } = body
        return db.transact((tx) => updateCertificate(tx, scope, before, { name, labels }))
      })
      return { certificate: await showOne(scope, certificate) }
    },

    remove: ({ scope, params }) => db.transact((tx) => deleteCertificate(tx, scope, params.id)),

    async retry({ scope, params }) {
      await getCertificate(db.query, scope, params.id)
      throw new ApiError('unsupported_error', 'certificate not retryable')
    },
  }
}

/** What an upload has to bring. Errors: `invalid_input` for each field that is missing or out of place. */
function uploadedPair({ type = 'uploaded', certificate, private_key: privateKey, domain_names }: Asked): KeyPair {
  if (type === 'managed') {
    throw invalidInput([{ field: 'type', message: 'managed certificates are not available yet; upload one' }])
  }
  if (certificate !== undefined && privateKey !== undefined && domain_names === undefined) {
    return { certificate, privateKey }
  }
  throw invalidInput([
    ...(certificate === undefined ? [{ field: 'certificate', message: 'is required' }] : []),
    ...(privateKey === undefined ? [{ field: 'private_key', message: 'is required' }] : []),
    ...(domain_names === undefined ? [] : [{ field: 'domain_names', message: 'is for managed certificates only' }]),
  ])
}
