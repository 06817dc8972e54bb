/** What the API names with words of its own, in those of the reader. What a newer server adds keeps its name. */
import { names } from '../words/names.ts'

type Table = Readonly<Record<string, string>>

const w: Readonly<Record<keyof typeof names, Table>> = names

const inWords = (name: string) => name.replaceAll('_', ' ')

/** `Floating IPs` for `floating_ips`, as in a sentence. */
export function familyName(family: string): string {
  return w.families[family] ?? inWords(family)
}

/** `SSH key` for `ssh_key`. */
export function typeName(type: string): string {
  return w.types[type] ?? inWords(type)
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
