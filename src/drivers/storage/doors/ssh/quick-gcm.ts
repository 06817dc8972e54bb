/** Has the library of SSH take the AES-GCM of the doors in place of its own. */
// @ts-expect-error The types of the library leave this module of it out.
import library from 'ssh2/lib/protocol/crypto.js'
import { GcmCipher, GcmDecipher } from './gcm.ts'

interface Info {
  readonly sslName: string
}

interface Outbound {
  readonly onWrite: (bytes: Buffer) => void
  readonly cipherInfo: Info
  readonly cipherKey: Buffer
  readonly cipherIV: Buffer
  readonly seqno: number
}

interface Inbound {
  readonly onPayload: GcmDecipher['_onPayload']
  readonly decipherInfo: Info
  readonly decipherKey: Buffer
  readonly decipherIV: Buffer
  readonly seqno: number
}

interface Library {
  createCipher(config: { readonly outbound: Outbound }): unknown
  createDecipher(config: { readonly inbound: Inbound }): unknown
}

const isGcm = ({ sslName }: Info) => sslName.endsWith('-gcm')

const theirs: Library = library
const { createCipher, createDecipher } = theirs

theirs.createCipher = (config) => {
  const { cipherInfo, cipherKey: key, cipherIV: nonce, seqno: number, onWrite } = config.outbound
  if (!isGcm(cipherInfo)) return createCipher(config)
  return new GcmCipher({ name: cipherInfo.sslName, key, nonce, number }, onWrite)
}

theirs.createDecipher = (config) => {
  const { decipherInfo, decipherKey: key, decipherIV: nonce, seqno: number, onPayload } = config.inbound
  if (!isGcm(decipherInfo)) return createDecipher(config)
  return new GcmDecipher({ name: decipherInfo.sslName, key, nonce, number }, onPayload)
}
