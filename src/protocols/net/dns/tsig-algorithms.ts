/** Algorithms with which name servers authenticate messages (RFC 8945, 6). */

export const tsigAlgorithms = ['hmac-md5', 'hmac-sha1', 'hmac-sha256'] as const

export type TsigAlgorithm = (typeof tsigAlgorithms)[number]
