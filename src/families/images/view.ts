/** Images as the API shows them. */
import type { Static } from 'typebox'
import type { SystemImage } from '../../catalogue/catalogue.ts'
import { inEffect, kernelChanges } from '../../kernel/contract/changes.ts'
import { deprecationToWire } from '../server-types/reads.ts'
import type { Image as Wire } from './contract.ts'
import type { OwnImage } from './domain.ts'

type ImageWire = Static<typeof Wire>

/** Images of the catalogue never change while the server runs, so each is turned into its wire forms once. */
const made = new WeakMap<SystemImage, { current: ImageWire; former: ImageWire }>()

/**
 * An image as the API shows it at `now` (ms since the epoch): with `deprecated` until that field was removed.
 * All callers get the same object: embed it, never change it.
 */
export function imageToWire(image: SystemImage, now: number): ImageWire {
  const { deprecation } = image
  if (deprecation && !deprecationToWire(deprecation, now)) return imageToWire({ ...image, deprecation: null }, now)
  let forms = made.get(image)
  if (!forms) {
    const current = toCurrent(image, now)
    forms = { current, former: { ...current, deprecated: image.deprecation?.announced ?? null } }
    made.set(image, forms)
  }
  return inEffect(kernelChanges.deprecated_field_removed, now) ? forms.current : forms.former
}

function toCurrent(image: SystemImage, now: number): ImageWire {
  const { id, type, name, description, disk_size, created, os_flavor, os_version, architecture, rapid_deploy } = image
  return {
    id,
    type,
    status: 'available',
    name,
    description,
    image_size: null,
    disk_size,
    created,
    created_from: null,
    bound_to: null,
    os_flavor,
    os_version,
    architecture,
    rapid_deploy,
    protection: { delete: false },
    labels: {},
    deprecation: deprecationToWire(image.deprecation, now),
    deleted: null,
  }
}

/** A snapshot or a backup as the API shows it at `now`. */
export function ownImageToWire(image: OwnImage, now: number): ImageWire {
  const { id, type, status, description, imageSizeMb, created, architecture, labels } = image
  return {
    id,
    type,
    status,
    name: null,
    description,
    image_size: imageSizeMb === null ? null : imageSizeMb / 1_000,
    disk_size: image.diskSize,
    created,
    created_from: image.createdFrom,
    bound_to: image.boundTo,
    os_flavor: image.osFlavor,
    os_version: image.osVersion,
    architecture,
    rapid_deploy: false,
    protection: { delete: image.isProtected },
    labels,
    deprecation: null,
    ...(inEffect(kernelChanges.deprecated_field_removed, now) ? {} : { deprecated: null }),
    deleted: null,
  }
}
