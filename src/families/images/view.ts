/** Images as the API shows them. */
import type { Static } from 'typebox'
import type { SystemImage } from '../../catalogue/catalogue.ts'
import { inEffect, kernelChanges } from '../../kernel/contract/changes.ts'
import { constant } from '../../kernel/contract/constant.ts'
import { deprecationToWire } from '../server-types/reads.ts'
import type { Image as Wire } from './contract.ts'
import type { OwnImage } from './domain.ts'

type ImageWire = Static<typeof Wire>

/** An image of the catalogue never changes while the server runs, so each of its wire forms is made once. */
const made = new WeakMap<SystemImage, Map<string, ImageWire>>()

/**
 * An image as the API shows it at `now` (ms since the epoch): with `deprecated` until that field was removed.
 * All callers get the same object: embed it, never change it.
 */
export function imageToWire(image: SystemImage, now: number): ImageWire {
  const deprecation = deprecationToWire(image.deprecation, now)
  const isCurrent = inEffect(kernelChanges.deprecated_field_removed, now)
  const forms = made.get(image) ?? new Map<string, ImageWire>()
  made.set(image, forms)
  const key = `${deprecation !== null} ${isCurrent}`
  let form = forms.get(key)
  if (!form) {
    const shown = toCurrent({ ...image, deprecation })
    form = constant(isCurrent ? shown : { ...shown, deprecated: deprecation?.announced ?? null })
    forms.set(key, form)
  }
  return form
}

function toCurrent(image: SystemImage): ImageWire {
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
    deprecation: image.deprecation,
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
