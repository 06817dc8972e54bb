/** Names of options, and which of them nobody may see. */
import type { Option } from 'commander'

/** Options whose value is a secret. */
const secrets: readonly string[] = ['token', 'acme-eab-key']

/** Options whose value may have a password in it. */
const withPasswords: readonly string[] = ['database', 'smtp']

/** Options that a command line may repeat, each time with one value more. */
const repeatable: readonly string[] = ['scenario']

/** The name of an option as a configuration file has it, such as `log-level`. */
export const nameOf = ({ long }: Option): string => long!.slice(2)

/** Tells whether the value of an option is never shown. */
export const isSecret = (option: Option): boolean => secrets.includes(nameOf(option))

/** Tells whether the value of an option is a secret, or may have one in it. */
export const mayHaveSecret = (option: Option): boolean => isSecret(option) || withPasswords.includes(nameOf(option))

/** Tells whether an option may be given several times; all others have their values in one text. */
export const isRepeatable = (option: Option): boolean => repeatable.includes(nameOf(option))

/** A value in which the passwords of URLs are hidden, wherever they stand. */
export function withoutPassword(text: string): string {
  return text
    .replaceAll(/(\w:\/\/[^\s/?#@:]*):[^\s/?#]*@/g, '$1:***@')
    .replaceAll(/([?&][^=&]*(?:password|secret|token|key)[^=&]*)=[^&\s]*/gi, '$1=***')
}
