/** Output of commands, one line at a time, wherever they run. */
import { Option } from 'commander'

/** Prints one line, given without its newline. */
export type Print = (line: string) => void

/** What others say stands in one line, and moves no cursor. */
export const oneLine = (text: string) => text.replaceAll(/[\s\p{Cc}]+/gu, ' ')

export interface ListOptions {
  readonly json?: boolean
}

export function jsonOption(): Option {
  return new Option('--json', 'print a JSON array of objects (docs/operating/administration.md)')
}

/** Prints a list: one line of columns per entry or, with `--json`, one array with each element on its own line. */
export async function printList<Entry extends object>(
  print: Print,
  entries: Iterable<Entry> | AsyncIterable<Entry>,
  { json = false }: ListOptions,
  columnsOf: (entry: Entry) => readonly (string | number)[],
): Promise<void> {
  if (!json) {
    for await (const entry of entries) print(columnsOf(entry).join('\t'))
    return
  }
  print('[')
  let previous: string | undefined
  for await (const entry of entries) {
    if (previous !== undefined) print(`${previous},`)
    previous = JSON.stringify(entry)
  }
  if (previous !== undefined) print(previous)
  print(']')
}
