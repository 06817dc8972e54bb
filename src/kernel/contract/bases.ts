/** The roots of the API, each written once. A family is below that of the public API where it names no other. */

/** The root of the public API (spec: Versioning). */
export const publicBase = '/v1'
/** The root of Storage Boxes, which the public cloud has at another host; they are below that of the public API as well. */
export const storageBase = '/storage/v1'
/** The root of what only Wolke has: Projects and people, the audit log, and what infrastructure can do. */
export const wolkeBase = '/wolke/v1'
/** The root of what servers read of themselves. */
export const metadataBase = '/v1'

/** The URL of Storage Boxes beside that of the public API, which ends in its root. */
export const storageUrlOf = (api: string) => api.slice(0, -publicBase.length) + storageBase

const publicRoots = [publicBase, storageBase]

/** The root of the public API that a URL is below, without its origin; undefined for one that is below none. */
export function publicRootOf(url: string): string | undefined {
  return publicRoots.find((root) => url.startsWith(`${root}/`))
}
