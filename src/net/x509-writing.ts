/** Certificates and requests for them are written by a library, which is read when the first one is, not at every start. */

/** The library; a process reads it once. */
export function loadX509(): Promise<typeof import('./x509-library.ts')> {
  return import('./x509-library.ts')
}

/** Keys of managed certificates and of the embedded authority: small, quick to make, and accepted by every client. */
export const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
