/** Said in a form when what it changes was changed elsewhere: one can look at that, or overwrite it. */
import { unsaved as w } from '../words/unsaved.ts'
import { Button } from './button.tsx'
import { Note } from './note.tsx'
import type { DraftOf } from './use-draft.ts'

type ElsewhereProps = Pick<DraftOf<unknown>, 'isElsewhere' | 'view' | 'overwrite'>

export function Elsewhere({ isElsewhere, view, overwrite }: ElsewhereProps) {
  if (!isElsewhere) return null
  return (
    <Note mood="warn" isNews>
      {w.elsewhere}{' '}
      <Button small onClick={view}>
        {w.view}
      </Button>{' '}
      <Button small onClick={overwrite}>
        {w.overwrite}
      </Button>
    </Note>
  )
}

/** The same where it is no longer there at all. */
export function DeletedElsewhere() {
  return (
    <Note mood="warn" isNews>
      {w.elsewhereGone}
    </Note>
  )
}
