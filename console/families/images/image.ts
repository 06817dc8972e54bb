import type { ItemOf } from '../../api/api.ts'
import type { ActsOptions, Resource } from '../../pages/shared/act.ts'
import { images as w } from './words.ts'

type Image = ItemOf<'images_list'>
/** An image as a resource with a name: snapshots and backups have only a description. */
export type Shown = Omit<Image, 'name'> & Resource & { readonly slug: string | null }

export const imageActs: ActsOptions<Shown> = { family: 'images', lost: w.deleteText, deleteAct: w.deleteAct }

export function shown({ name, ...image }: Image): Shown {
  return { ...image, slug: name, name: name ?? (image.description || `#${image.id}`) }
}

/** Tells whether an image belongs to the Project, which may change it. */
export function isOwn({ type }: Shown): boolean {
  return type === 'snapshot' || type === 'backup'
}
