/**
 * Every edition of the reference, the latest first, each in two lines: the time from which it holds, and its JSON. All are
 * compressed together with brotli, in base64. The sources have none; build.mjs replaces this module with the editions that
 * it rendered.
 */
export const packedEditions: string | undefined = undefined
