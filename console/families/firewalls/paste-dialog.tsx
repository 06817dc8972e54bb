/** Many networks or whole rules at once, from JSON, Terraform or a plain list. */
import { useState } from 'react'
import type { Direction } from '../../../src/families/firewalls/domain.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { AreaField } from '../../ui/field.tsx'
import { Note } from '../../ui/note.tsx'
import { common as c } from '../../words/common.ts'
import { forms as f } from '../../words/forms.ts'
import type { Content } from './draft.ts'
import { type Misread, readPasted } from './paste.ts'
import { paste as w } from './paste.words.ts'

const mostReasons = 5

interface PasteProps {
  readonly direction: Direction
  readonly onRules: (rules: readonly (Partial<Content> & { readonly direction: Direction })[]) => void
  readonly onClose: () => void
}

export function PasteDialog({ direction, onRules, onClose }: PasteProps) {
  const [text, setText] = useState('')
  const pasted = readPasted(text)
  const count = pasted.kind === 'rules' ? pasted.rules.length : pasted.kind === 'networks' ? 1 : 0
  const add = () => {
    if (pasted.kind === 'nothing') return
    onRules(pasted.kind === 'rules' ? pasted.rules : [{ direction, networks: pasted.networks }])
    onClose()
  }
  return (
    <Dialog
      title={w.title}
      text={w.text}
      onClose={onClose}
      onSubmit={add}
      footer={
        <span className="end row">
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button type="submit" look="primary" reason={count === 0 ? f.missing : undefined}>
            {w.addRules(Math.max(1, count))}
          </Button>
        </span>
      }
    >
      <AreaField
        label={w.label}
        isMono
        rows={8}
        value={text}
        onChange={setText}
        hint={pasted.kind === 'networks' ? w.networks(pasted.networks.length) : w.hint}
        problems={text.trim() !== '' && pasted.kind === 'nothing' ? [w.nothing] : undefined}
      />
      {pasted.kind === 'rules' && pasted.misread.length > 0 && (
        <Note mood="warn" isNews>
          <b>{w.misread(pasted.misread.length, pasted.misread.length + count)}</b>{' '}
          {pasted.misread.slice(0, mostReasons).map(reasonOf).join(' ')}
        </Note>
      )}
    </Dialog>
  )
}

function reasonOf({ place, what, says }: Misread): string {
  if (says === '' && what !== 'side') return w.misreadMissing[what](String(place))
  return w.misreadAs[what](String(place), says)
}
