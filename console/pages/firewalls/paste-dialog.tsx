/** Many networks or whole rules at once, from JSON, Terraform or a plain list. */
import { useState } from 'react'
import type { Direction } from '../../../src/families/firewalls/domain.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { AreaField } from '../../ui/field.tsx'
import { common } from '../../words/en/common.ts'
import { firewalls as english } from '../../words/en/firewalls.ts'
import { wordsOf } from '../../words/words.ts'
import type { Content } from './draft.ts'
import { readPasted } from './paste.ts'

const w = wordsOf('firewalls', english)
const c = wordsOf('common', common)

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
      title={w.pasteTitle}
      text={w.pasteText}
      onClose={onClose}
      onSubmit={add}
      footer={
        <span className="end row">
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button type="submit" look="primary" reason={count === 0 ? c.missing : undefined}>
            {w.addRules(Math.max(1, count))}
          </Button>
        </span>
      }
    >
      <AreaField
        label={w.pasteLabel}
        isMono
        rows={8}
        value={text}
        onChange={setText}
        hint={pasted.kind === 'networks' ? w.pastedNetworks(pasted.networks.length) : w.pasteHint}
        problems={text.trim() !== '' && pasted.kind === 'nothing' ? [w.pasteNothing] : undefined}
      />
    </Dialog>
  )
}
