/**
 * The server's side of the RFB handshake, with VNC authentication (RFC 6143, 7.1 and 7.2). Pure: it is given bytes and
 * says what to send. What follows, from ClientInit on, is the same in all versions of the protocol.
 */
import { createCipheriv, timingSafeEqual } from 'node:crypto'

/** Characters of a password that VNC authentication looks at. */
export const passwordLength = 8

const versions = ['RFB 003.003\n', 'RFB 003.007\n', 'RFB 003.008\n'] as const
const vncAuthentication = 2
const challengeLength = 16

/** The result of a step of the handshake. */
export interface Progress {
  readonly send: Buffer
  /** `open` after the right password; `refused` when the connection is to be closed. */
  readonly outcome: 'pending' | 'open' | 'refused'
}

/** A handshake that is under way. */
export class RfbHandshake {
  /** The server speaks first, with this. */
  readonly greeting = Buffer.from(versions[2])
  readonly #challenge: Buffer
  readonly #expected: Buffer
  #received: Buffer = Buffer.alloc(0)
  #version: (typeof versions)[number] = versions[2]
  #expects: 'version' | 'type' | 'response' | 'nothing' = 'version'

  /** `challenge` are 16 random bytes. */
  constructor(password: string, challenge: Buffer) {
    this.#challenge = challenge
    this.#expected = vncResponse(password, challenge)
  }

  /** The bytes received after the handshake. */
  get rest(): Buffer {
    return this.#received
  }

  /** Takes what the client has sent. */
  feed(bytes: Buffer): Progress {
    this.#received = Buffer.concat([this.#received, bytes])
    const sent: Buffer[] = []
    let outcome: Progress['outcome'] = 'pending'
    while (outcome === 'pending') {
      const message = this.#take()
      if (!message) break
      const progress = this.#answer(message)
      sent.push(progress.send)
      outcome = progress.outcome
    }
    return { send: Buffer.concat(sent), outcome }
  }

  /** The next message of the client, once it is complete. */
  #take(): Buffer | undefined {
    const length = { version: versions[0].length, type: 1, response: challengeLength, nothing: 0 }[this.#expects]
    if (length === 0 || this.#received.length < length) return undefined
    const message = this.#received.subarray(0, length)
    this.#received = this.#received.subarray(length)
    return message
  }

  #answer(message: Buffer): Progress {
    if (this.#expects === 'version') return this.#agree(message.toString('latin1'))
    if (this.#expects === 'type') {
      if (message[0] !== vncAuthentication) return this.#refuse('the security type was not offered')
      this.#expects = 'response'
      return { send: this.#challenge, outcome: 'pending' }
    }
    if (!timingSafeEqual(message, this.#expected)) return this.#refuse('the password is wrong')
    this.#expects = 'nothing'
    return { send: number(0), outcome: 'open' }
  }

  /** In the oldest version the server chooses how to authenticate, later ones let the client choose. */
  #agree(text: string): Progress {
    const version = versions.find((known) => known === text)
    if (!version) return { send: Buffer.alloc(0), outcome: 'refused' }
    this.#version = version
    const isOldest = version === versions[0]
    this.#expects = isOldest ? 'response' : 'type'
    const send = isOldest
      ? Buffer.concat([number(vncAuthentication), this.#challenge])
      : Buffer.from([1, vncAuthentication])
    return { send, outcome: 'pending' }
  }

  /** Only the newest version has room for a reason. */
  #refuse(reason: string): Progress {
    this.#expects = 'nothing'
    const text = Buffer.from(reason)
    const send = this.#version === versions[2] ? [number(1), number(text.length), text] : [number(1)]
    return { send: Buffer.concat(send), outcome: 'refused' }
  }
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/**
 * The answer to a challenge: it is encrypted with DES under the password, every byte of which has its bits reversed.
 * Triple DES with three equal keys is DES, which OpenSSL no longer offers by itself.
 */
function vncResponse(password: string, challenge: Buffer): Buffer {
  const key = Buffer.alloc(passwordLength)
  key.write(password, 'latin1')
  const reversed = key.map(reverseBits)
  const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([reversed, reversed, reversed]), null)
  return cipher.setAutoPadding(false).update(challenge)
}

function reverseBits(byte: number): number {
  let reversed = 0
  for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) reversed |= 0x80 >> bit
  return reversed
}
