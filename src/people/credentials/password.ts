/** Passwords of people have to be like this. Their hashes are in kernel/secrets/password-hash.ts. */
import { hasMoreCharacters } from '../../kernel/contract/field-checks.ts'
import { maxPassword } from '../../kernel/secrets/password-hash.ts'
import { commonPassword } from './common-password.ts'

export const minPassword = 12

/** Finds the fault of a new password; undefined when it has none. `words` are names that it must not consist of. */
export function passwordProblem(
  password: string,
  words: readonly string[] = [],
): 'too_short' | 'too_long' | 'too_common' | undefined {
  if (hasMoreCharacters(password, maxPassword)) return 'too_long'
  if ([...password].length < minPassword) return 'too_short'
  return commonPassword(password, words) ? 'too_common' : undefined
}
