/**
 * Every edition of the reference, as `renderEditions` returns them, in JSON, brotli and base64. There are none here:
 * build.mjs puts those that it rendered in the place of this text.
 */
export const packedEditions: string | undefined = undefined
