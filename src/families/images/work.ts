/** Images of a Project are changed and deleted on request. */
import { recordOf, refuseLocked } from '../../kernel/actions/store.ts'
import type { Calls } from '../../kernel/contract/contract.ts'
import { ApiError } from '../../kernel/errors.ts'
import { act } from '../../kernel/resource/work.ts'
import type { Platform } from '../../platform.ts'
import { changeImageProtection, discardImages } from './actions.ts'
import type { imageEndpoints } from './contract.ts'
import { images } from './store.ts'

type Call = Calls<typeof imageEndpoints>

/** Errors: `unsupported_error` for an image that belongs to the installation. */
export function refuseCatalogue({ catalogue }: Platform, id: number): void {
  if (catalogue.imageById(id)) throw new ApiError('unsupported_error', 'only snapshots and backups can be changed')
}

/** Deletes an image. Errors: `unsupported_error`, `protected`, `locked`. */
export async function remove(platform: Platform, { scope, params: { id } }: Call['remove']): Promise<void> {
  refuseCatalogue(platform, id)
  await platform.db.transact(async (tx) => {
    const image = await images.lock(tx, scope, id)
    if (image.isProtected) throw new ApiError('protected', 'snapshot deletion is protected')
    await refuseLocked(tx.query, scope, images.ref(id))
    await discardImages(tx, scope, [image])
  })
}

/** Protects a snapshot from deletion, or no longer. Errors: `unsupported_error`. */
export async function changeProtection(platform: Platform, call: Call['changeProtection']) {
  refuseCatalogue(platform, call.params.id)
  return act(platform, images, call, async (tx, { id, type, isProtected }) => {
    if (type !== 'snapshot') throw new ApiError('unsupported_error', 'only snapshots can be protected')
    await images.set(tx, call.scope, id, { protect_delete: (call.body.delete ?? isProtected) ? 1 : 0 })
    return recordOf(changeImageProtection, images.ref(id))
  })
}
