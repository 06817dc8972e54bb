/**
 * Secrets in files, as container engines hand them over: `WOLKE_TOKEN_FILE` names a file that has what `WOLKE_TOKEN` would.
 * Each option that a configuration file refuses, because it is a secret or has a password, can be given so.
 */
import { readFileSync, statSync } from 'node:fs'
import { InvalidArgumentError, type Option } from 'commander'
import { mayHaveSecret } from './names.ts'

/** The most bytes that a secret may have. */
const mostBytes = 4_096

/** The variable that names the file for an option; undefined for one that is not secret. */
export const fileVariableOf = (option: Option): string | undefined =>
  mayHaveSecret(option) ? `${option.envVar}_FILE` : undefined

/**
 * Returns the text that a file has for an option, without the ends of lines after it; undefined where the environment names
 * none. Errors: `InvalidArgumentError` that names the variable, and never what is in the file.
 */
export function secretFrom(env: NodeJS.ProcessEnv, option: Option): string | undefined {
  const variable = fileVariableOf(option)
  const path = variable && env[variable]
  if (!path) return undefined
  if (env[option.envVar!]) throw new InvalidArgumentError(`${option.envVar} and ${variable} exclude each other`)
  try {
    const found = statSync(path)
    if (!found.isFile()) throw new Error(`${path} is no file`)
    if (found.size > mostBytes) throw new Error(`${path} has ${found.size} bytes, of which ${mostBytes} are allowed`)
    return readFileSync(path, 'utf8').replace(/[\r\n]+$/, '')
  } catch (error) {
    throw new InvalidArgumentError(`${variable}: ${(error as Error).message}`)
  }
}
