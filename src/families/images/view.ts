/** Images as the API shows them. */
import type { Static } from 'typebox'
import type { SystemImage } from '../../catalogue/catalogue.ts'
import { inEffect, kernelChanges } from '../../kernel/contract/changes.ts'
import { constantFormOf } from '../../kernel/contract/constant.ts'
import { deprecationToWire } from '../server-types/reads.ts'
import type { Image as Wire } from './contract.ts'
import type { OwnImage } from './domain.ts'

type ImageWire = Static<typeof Wire>

/** The forms of images, since the field `deprecated` was removed and before. */
function formsOf<Thing extends object>(
  make: (image: Thing) => ImageWire,
  withDeprecated: (shown: ImageWire) => ImageWire,
) {
  const current = constantFormOf(make)
  const former = constantFormOf((image: Thing) => withDeprecated(current(image)))
  return (now: number) => (inEffect(kernelChanges.deprecated_field_removed, now) ? current : former)
}

const addDeprecated = (shown: ImageWire) => ({ ...shown, deprecated: shown.deprecation?.announced ?? null })
const ofSystem = formsOf(toCurrent, addDeprecated)
const ofDeprecatedLater = formsOf((image: SystemImage) => toCurrent({ ...image, deprecation: null }), addDeprecated)
const ofProject = formsOf(ownToCurrent, ({ deleted, ...shown }) => ({ ...shown, deprecated: null, deleted }))

/**
 * An image as the API shows it at `now` (ms since the epoch): with `deprecated` until that field was removed.
 * All callers get the same object: embed it, never change it.
 */
export function imageToWire(image: SystemImage, now: number): ImageWire {
  const isToldLater = image.deprecation !== null && deprecationToWire(image.deprecation, now) === null
  return (isToldLater ? ofDeprecatedLater : ofSystem)(now)(image)
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

/** A snapshot or a backup as the API shows it at `now`; the same object for the same image. */
export const ownImageToWire = (image: OwnImage, now: number): ImageWire => ofProject(now)(image)

function ownToCurrent(image: OwnImage): ImageWire {
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
    deleted: null,
  }
}
