/** What is said when the resource of an open page was deleted elsewhere. */
import { Note } from '../../ui/note.tsx'
import { shell } from '../../words/en/shell.ts'
import { wordsOf } from '../../words/words.ts'

const w = wordsOf('shell', shell).states

export function GoneNote({ name }: { readonly name: string }) {
  return (
    <Note mood="warn" isNews>
      {w.gone(name)}
    </Note>
  )
}
