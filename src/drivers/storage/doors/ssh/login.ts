/** Accounts come in by SSH with a key, which costs no hash, or with a password. */
import type { AuthContext, PasswordAuthContext, PublicKeyAuthContext } from 'ssh2'
import type { Accounts } from '../accounts.ts'
import { type Passwords, TooMany } from '../passwords.ts'
import { ssh2 } from './library.ts'

const methods: ('publickey' | 'password')[] = ['publickey', 'password']
/** Wrong answers of one connection. Clients try all keys that they have. */
const mostTries = 20

export interface LoginOptions {
  readonly accounts: Accounts
  readonly passwords: Passwords
  readonly address: string
}

/** Answers what a connection says about who it is. `end` is called when it has guessed enough, or has to come again. */
export class Login {
  readonly #options: LoginOptions
  #tries = 0

  constructor(options: LoginOptions) {
    this.#options = options
  }

  async answer(context: AuthContext, end: () => void): Promise<void> {
    let isRight = false
    if (context.method === 'publickey') isRight = this.#hasKey(context)
    else if (context.method === 'password') {
      try {
        isRight = await this.#knowsPassword(context)
      } catch (error) {
        // SSH has no word for it, and a client that hears of a wrong password asks its user for another one.
        if (error instanceof TooMany) return end()
        throw error
      }
    }
    if (isRight) return context.accept()
    this.#tries += context.method === 'none' ? 0 : context.method === 'password' ? 4 : 1
    if (this.#tries > mostTries) return end()
    context.reject(methods)
  }

  #hasKey(context: PublicKeyAuthContext): boolean {
    const { accounts, address } = this.#options
    const account = accounts.findFor(context.username, 'ssh', address)
    const known = account?.state.keys.find((line) => dataOf(line)?.equals(context.key.data))
    if (known === undefined) return false
    // The client asks without a signature whether it would be worth signing with that key.
    if (!context.signature) return true
    const key = ssh2.utils.parseKey(known)
    if (key instanceof Error || Array.isArray(key)) return false
    return key.verify(context.blob!, context.signature, context.hashAlgo) === true
  }

  /** Whoever guesses holds a place for logins while he waits for the answer. */
  #knowsPassword(context: PasswordAuthContext): Promise<boolean> {
    const { accounts, passwords, address } = this.#options
    const account = accounts.findFor(context.username, 'ssh', address)
    const hash = account?.state.passwordHash
    return passwords.isRight(context.username, hash, address, context.password)
  }
}

/** The key in a line as OpenSSH writes it; undefined when there is none. */
export function dataOf(line: string): Buffer | undefined {
  const words = line.trim().split(/\s+/)
  const at = words.findIndex((word) => /^(ssh-|ecdsa-|sk-)/.test(word))
  const data = at < 0 ? undefined : words[at + 1]
  return data === undefined ? undefined : Buffer.from(data, 'base64')
}
