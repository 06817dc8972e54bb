/** A passkey in software: an ES256 key that signs what browsers let authenticators sign (WebAuthn, 6). */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const flags = { present: 0x01, verified: 0x04, hasKey: 0x40 }

/** CBOR of what authenticators send: unsigned and negative integers, bytes, texts and maps. */
function cbor(value: unknown): Buffer {
  const head = (major: number, length: number) =>
    length < 24
      ? Buffer.from([(major << 5) | length])
      : length < 256
        ? Buffer.from([(major << 5) | 24, length])
        : Buffer.from([(major << 5) | 25, length >> 8, length & 0xff])
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  const entries = [...(value as Map<unknown, unknown>)]
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, one]) => [cbor(key), cbor(one)])])
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const text = (bytes: Buffer) => bytes.toString('base64url')

export interface Asked {
  readonly challenge: string
  /** The origin of the page that asked. */
  readonly origin: string
  readonly rpId: string
}

export class Authenticator {
  readonly id = randomBytes(32)
  readonly #privateKey: KeyObject
  readonly #publicKey: KeyObject
  counter = 0
  /** Whether it asks its owner for a fingerprint or a PIN. */
  verifies = true

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#privateKey = privateKey
    this.#publicKey = publicKey
  }

  /** What a browser answers to a request for a new passkey. */
  create({ challenge, origin, rpId }: Asked) {
    const { x, y } = this.#publicKey.export({ format: 'jwk' })
    const key = new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x!, 'base64url')],
      [-3, Buffer.from(y!, 'base64url')],
    ])
    const length = Buffer.from([this.id.length >> 8, this.id.length & 0xff])
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, cbor(key)])
    const authData = Buffer.concat([this.#data(rpId, flags.hasKey), attested])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ])
    const response = {
      clientDataJSON: text(this.#client('webauthn.create', challenge, origin)),
      attestationObject: text(cbor(attestation)),
      transports: ['internal'],
    }
    return this.#credential(response)
  }

  /** What a browser answers to a challenge. */
  get({ challenge, origin, rpId }: Asked) {
    this.counter++
    const client = this.#client('webauthn.get', challenge, origin)
    const data = this.#data(rpId, 0)
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), this.#privateKey)
    const response = { clientDataJSON: text(client), authenticatorData: text(data), signature: text(signature) }
    return this.#credential(response)
  }

  #credential(response: object) {
    const id = text(this.id)
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }

  #client(type: string, challenge: string, origin: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  #data(rpId: string, more: number): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    const set = flags.present | (this.verifies ? flags.verified : 0) | more
    return Buffer.concat([sha256(rpId), Buffer.from([set]), counter])
  }
}
