/** Colours a command or a configuration: options, values, comments. It only looks; the text stays as it is. */
import type { Piece } from './night.tsx'

const token = /(#[^\n]*)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\')*')|(--?[a-z][\w-]*)(?==|\s|$)|(\\\n|\s+)|([^\s"']+)/g

export function colored(text: string): readonly Piece[] {
  let isValueNext = false
  return [...text.matchAll(token)].map(([whole, comment, quoted, option, space]): Piece => {
    if (space !== undefined) return { text: whole }
    if (comment !== undefined) return { text: whole, kind: 'comment' }
    if (option !== undefined) {
      isValueNext = true
      return { text: whole, kind: 'flag' }
    }
    const isValue = isValueNext || quoted !== undefined
    isValueNext = false
    return isValue ? { text: whole, kind: 'value' } : { text: whole }
  })
}
