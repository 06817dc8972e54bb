/** Algorithms with which name servers authenticate messages (RFC 8945, 6). */

/** Those of primaries of secondary zones, as the API names them. */
export const tsigAlgorithms = ['hmac-md5', 'hmac-sha1', 'hmac-sha256'] as const

/** Those of keys that an operator gives. */
export const keyAlgorithms = [...tsigAlgorithms, 'hmac-sha224', 'hmac-sha384', 'hmac-sha512'] as const

export type TsigAlgorithm = (typeof tsigAlgorithms)[number]
export type KeyAlgorithm = (typeof keyAlgorithms)[number]
