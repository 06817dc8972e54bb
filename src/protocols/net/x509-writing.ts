/** Loads the library that writes certificates and signing requests on first use, which keeps starts fast. */

/** Loads the library once per process. */
export function loadX509(): Promise<typeof import('./x509-library.ts')> {
  return import('./x509-library.ts')
}

/** The key type of managed certificates and of the embedded authority: small, fast and accepted by every client. */
export const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
