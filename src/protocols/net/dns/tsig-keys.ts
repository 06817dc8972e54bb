/** Keys with which name servers authenticate messages, and the files that hold them. */
import { isDnsName } from '../hostnames.ts'
import { lowerName, type NameKey, nameOf } from './names.ts'
import { isBase64 } from './svc-params.ts'
import { type KeyAlgorithm, keyAlgorithms } from './tsig-algorithms.ts'

export interface TsigKey {
  /** The key's name in wire format and lower case. */
  readonly name: NameKey
  readonly algorithm: KeyAlgorithm
  readonly secret: Buffer
}

/** The name of a key as a file or an option has it. Throws an error for what is no name. */
export function keyName(text: string): NameKey {
  const name = text.replace(/\.$/, '')
  if (!isDnsName(name)) throw new Error(`${text.slice(0, 80)} is no name of a key`)
  return lowerName(nameOf(name))
}

const statement = /\s*key\s+"?([^\s"{;]+)"?\s*\{\s*([^{}]*?)\s*\}\s*;?/y
const setting = /^(algorithm|secret)\s+"?([^\s"]+)"?$/

/**
 * Reads `key "NAME" { algorithm hmac-sha256; secret "BASE64"; };` as BIND has it and tsig-keygen prints it, any number of
 * them with comments between. Throws an error that says what is wrong and shows no secret.
 */
export function parseTsigKeys(text: string): ReadonlyMap<NameKey, TsigKey> {
  const bare = text.replaceAll(/\/\*[\s\S]*?\*\/|(^|\s)(#|\/\/)[^\n]*/g, ' ').trim()
  const keys = new Map<NameKey, TsigKey>()
  for (statement.lastIndex = 0; statement.lastIndex < bare.length; ) {
    const [, given = '', body = ''] = statement.exec(bare) ?? []
    if (given === '') throw new Error(`expected key "NAME" { ... }; as statement ${keys.size + 1}`)
    const name = keyName(given)
    if (keys.has(name)) throw new Error(`the key ${given} is there twice`)
    keys.set(name, keyOf(name, given, body))
  }
  return keys
}

function keyOf(name: NameKey, given: string, body: string): TsigKey {
  const parts = body.split(';').filter((part) => part.trim() !== '')
  const settings = new Map(
    parts.map((part) => {
      const [, field, value] = setting.exec(part.trim()) ?? []
      if (field === undefined) throw new Error(`the key ${given} has something else than an algorithm and a secret`)
      return [field, value!]
    }),
  )
  const algorithm = keyAlgorithms.find((one) => one === settings.get('algorithm')?.toLowerCase().replace(/\.$/, ''))
  const secret = settings.get('secret')
  if (!algorithm) throw new Error(`the key ${given} needs an algorithm of ${keyAlgorithms.join(', ')}`)
  if (!secret || !isBase64(secret)) throw new Error(`the key ${given} needs a secret in base64`)
  return { name, algorithm, secret: Buffer.from(secret, 'base64') }
}
