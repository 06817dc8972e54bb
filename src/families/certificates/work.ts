/** Certificates are deleted on request, with what is open at an authority. */
import type { Calls } from '../../kernel/contract/contract.ts'
import type { Platform } from '../../platform.ts'
import type { certificateEndpoints } from './contract.ts'
import { endOrder } from './managed/store.ts'
import { certificates, deleteCertificate } from './store.ts'

/** Deletes a certificate. Errors: `service_error` while something uses it. */
export const remove = ({ db }: Platform, { scope, params: { id } }: Calls<typeof certificateEndpoints>['remove']) =>
  db.transact(async (tx) => {
    const certificate = await certificates.lock(tx, scope, id)
    await endOrder(tx, scope, id)
    await deleteCertificate(tx, scope, certificate)
  })
