/** The terms of the API in the language of the reader. Terms that a newer server adds keep their names. */
import { familyOf } from '../api/operations.ts'
import { names, slices } from '../words/names.ts'
import type { Names } from '../words/slice.ts'

const families: Readonly<Record<string, string>> = names.families
const ofSlices: Readonly<Record<string, Names>> = slices

const inWords = (name: string) => name.replaceAll('_', ' ')

/** `Floating IPs` for `floating_ips`, as in a sentence. */
export function familyName(family: string): string {
  return ofSlices[family]?.family ?? families[family] ?? inWords(family)
}

/** `SSH key` for `ssh_key`. */
export function typeName(type: string): string {
  return ofSlices[familyOf(type)]?.type ?? inWords(type)
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
