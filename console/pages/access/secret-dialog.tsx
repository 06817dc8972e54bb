/** A new token, which is shown this once, with how to use it. */
import { useState } from 'react'
import type { ReplyFor } from '../../api/operations.ts'
import { originForPrograms } from '../../lib/endpoint.ts'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/check.tsx'
import { CommandLine } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { type Command, Night } from '../../ui/night.tsx'
import { access } from '../../words/en/access.ts'
import { forms } from '../../words/en/forms.ts'
import { wordsOf } from '../../words/words.ts'
import { grantsOf } from './scope.ts'

const w = wordsOf('access', access).tokens
const f = wordsOf('forms', forms)

interface SecretDialogProps {
  readonly made: ReplyFor<'management_createToken'>
  readonly project: string
  readonly onClose: () => void
}

export function SecretDialog({ made: { token, secret }, project, onClose }: SecretDialogProps) {
  const [isStored, store] = useState(false)
  return (
    <Dialog
      title={w.newTitle(token.name)}
      text={[w.newText(w.accesses[token.access], project), grantsOf(token.scope)].filter(Boolean).join(' ')}
      isWide
      isLeavable={false}
      isDirty={!isStored}
      onClose={onClose}
      footer={
        <>
          <span className="faint">{w.lost}</span>
          <span className="end">
            <Button look="primary" reason={isStored ? undefined : f.storeFirst} onClick={onClose}>
              {w.done}
            </Button>
          </span>
        </>
      }
    >
      <CommandLine text={secret} />
      <Night commands={snippets(contextOf(token.name))} footer={w.history} />
      <Check checked={isStored} onChange={store} aside={w.storedAside}>
        {w.stored}
      </Check>
    </Dialog>
  )
}

/** A name that a shell takes as it is. */
function contextOf(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '') || 'wolke'
}

function snippets(context: string): readonly Command[] {
  const endpoint = `${originForPrograms(window.location)}/v1`
  const base = [
    { text: 'export ' },
    { text: 'HCLOUD_ENDPOINT', kind: 'flag' },
    { text: '=' },
    { text: endpoint, kind: 'value' },
  ] as const
  return [
    { client: 'hcloud', pieces: [...base, { text: `\nhcloud context create ${context}\nhcloud server list` }] },
    {
      client: 'env',
      pieces: [
        ...base,
        { text: '\nread -rs ' },
        { text: 'HCLOUD_TOKEN', kind: 'flag' },
        { text: ' && export HCLOUD_TOKEN' },
      ],
    },
    {
      client: 'Terraform',
      pieces: [
        { text: 'variable "hcloud_token" {\n  type      = string\n  sensitive = true\n}\n\nprovider "hcloud" {\n  ' },
        { text: 'endpoint', kind: 'flag' },
        { text: ' = ' },
        { text: `"${endpoint}"`, kind: 'value' },
        { text: '\n  ' },
        { text: 'token', kind: 'flag' },
        { text: '    = var.hcloud_token\n}' },
      ],
    },
  ]
}
