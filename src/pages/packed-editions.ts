/**
 * Every edition of the reference as returned by `renderEditions`: JSON, compressed with brotli, in base64. The sources
 * have none; build.mjs replaces this module with the editions that it rendered.
 */
export const packedEditions: string | undefined = undefined
