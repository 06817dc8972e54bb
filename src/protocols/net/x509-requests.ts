/** Private keys for certificates, and the requests that are signed with them (PKCS #10). */
import { createPrivateKey, generateKeyPair, type KeyObject, webcrypto } from 'node:crypto'
import { promisify } from 'node:util'
import { ecdsa, loadX509 } from './x509-writing.ts'

const makeKeyPair = promisify(generateKeyPair)

/** A new ECDSA key in PEM. ECDSA keys are quick to make and to use, and the API accepts this size in uploads too. */
export async function makePrivateKey(): Promise<string> {
  const { privateKey } = await makeKeyPair('ec', { namedCurve: ecdsa.namedCurve })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
}

/** A request in DER for a certificate for `domains` with the public half of the private key. */
export async function makeRequest(domains: readonly string[], privateKeyPem: string): Promise<Buffer> {
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await loadX509()
  const names = domains.map((value) => ({ type: 'dns' as const, value }))
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys: await webKeys(createPrivateKey(privateKeyPem)),
    signingAlgorithm: ecdsa,
    extensions: [new SubjectAlternativeNameExtension(names)],
  })
  return Buffer.from(request.rawData)
}

async function webKeys(privateKey: KeyObject): Promise<webcrypto.CryptoKeyPair> {
  const { d, ...publicJwk } = privateKey.export({ format: 'jwk' })
  const importJwk = (jwk: webcrypto.JsonWebKey, usage: webcrypto.KeyUsage) =>
    webcrypto.subtle.importKey('jwk', jwk, ecdsa, true, [usage])
  return {
    privateKey: await importJwk({ ...publicJwk, d: d! }, 'sign'),
    publicKey: await importJwk(publicJwk, 'verify'),
  }
}
