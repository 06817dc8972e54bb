/** The library that writes certificates and requests for them: read when the first one is written, not at every start. */

type X509 = typeof import('@peculiar/x509')

let loading: Promise<X509> | undefined

export function loadX509(): Promise<X509> {
  loading ??= (async () => {
    // The library looks for it while it is read.
    await import('reflect-metadata')
    return import('@peculiar/x509')
  })()
  return loading
}

/** Keys of managed certificates and of the embedded authority: small, quick to make, and accepted by every client. */
export const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
