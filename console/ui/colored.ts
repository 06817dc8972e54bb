/** Colours a command or a configuration: options, values, comments. It only looks; the text stays as it is. */

/** A piece of a text and what it is, for its colour. */
export interface Piece {
  readonly text: string
  readonly kind?: 'flag' | 'value' | 'comment' | undefined
}

/** Comments, options, white space, and words, which may be quoted in parts. */
const token =
  /(?<comment>#[^\n]*)|(?<flag>--?[a-z][\w-]*)(?=[=\s]|$)|(?<space>(?:\\\n|\s)+)|(?:'[^']*(?:'|$)|"(?:[^"\\]|\\[\s\S])*"|\\[^\n]|[^\s"'\\])+/g

/** The pieces of a text: cut at its tokens, so that together they are the text, whatever is in it. */
export function colored(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let at = 0
  const cut = (end: number, kind?: Piece['kind']) => {
    if (end > at) pieces.push({ text: text.slice(at, end), kind })
    at = end
  }
  let isValueNext = false
  for (const { 0: whole, index, groups } of text.matchAll(token)) {
    cut(index)
    const kind = kindOf(whole, groups!, isValueNext)
    if (groups!.space === undefined) isValueNext = kind === 'flag'
    cut(index + whole.length, kind)
  }
  cut(text.length)
  return pieces
}

function kindOf(whole: string, found: Readonly<Record<string, string | undefined>>, isValue: boolean): Piece['kind'] {
  if (found.space !== undefined) return undefined
  if (found.comment !== undefined) return 'comment'
  if (found.flag !== undefined) return 'flag'
  return isValue || /['"]/.test(whole) ? 'value' : undefined
}
