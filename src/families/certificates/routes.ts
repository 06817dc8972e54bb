/** Certificates through the API. Uploaded certificates exist at once; actions issue and renew managed ones. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes, type View } from '../../kernel/resource/routes.ts'
import type { Platform } from '../../platform.ts'
import type { certificateEndpoints } from './contract.ts'
import type { Certificate } from './domain.ts'
import { managedRoutes } from './managed/routes.ts'
import { endOrder } from './managed/store.ts'
import { certificates, deleteCertificate, usersOf } from './store.ts'
import { uploadedRoutes } from './uploaded/routes.ts'
import { type CertificateWire, certificateToWire } from './view.ts'

const view: View<Certificate, CertificateWire> = async (some, query, { scope }) => {
  const ids = some.map(({ id }) => id)
  const users = await usersOf(query, scope, ids)
  return some.map((one) => certificateToWire(one, users.get(one.id) ?? []))
}

/** One handler for each endpoint. */
export function certificateRoutes(platform: Platform): Handlers<typeof certificateEndpoints> {
  const uploaded = uploadedRoutes(platform)
  const managed = managedRoutes(platform)
  return {
    ...resourceRoutes(platform, certificates, view),

    create: (call) => (call.body.type === 'managed' ? managed : uploaded).create(call),

    remove: ({ scope, params: { id } }) =>
      platform.db.transact(async (tx) => {
        const certificate = await certificates.lock(tx, scope, id)
        await endOrder(tx, scope, id)
        await deleteCertificate(tx, scope, certificate)
      }),

    retry: managed.retry,
  }
}
