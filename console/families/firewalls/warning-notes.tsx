/** Says in words what is worth a second look. */
import { useMemo } from 'react'
import { Button } from '../../ui/button.tsx'
import { Note } from '../../ui/note.tsx'
import { contentOf } from './draft.ts'
import type { RulesEditor } from './use-rules.ts'
import { type Warning, warningsOf } from './warnings.ts'
import { firewalls as w } from './words.ts'

interface NotesProps {
  readonly editor: RulesEditor
  /** The number of changed servers. */
  readonly count: number
}

export function WarningNotes({ editor, count }: NotesProps) {
  const { base, drafts, changes } = editor
  const warnings = useMemo(() => warningsOf(base.map(contentOf), drafts, changes), [base, drafts, changes])
  return warnings.map((warning) => <WarningNote key={JSON.stringify(warning)} {...{ warning, editor, count }} />)
}

interface WarningProps {
  readonly warning: Warning
  readonly editor: RulesEditor
  readonly count: number
}

function WarningNote({ warning, editor, count }: WarningProps) {
  if (warning.kind === 'closesSsh') return <Note mood="warn">{w.closesSsh}</Note>
  if (warning.kind === 'limitsOut') return <Note mood="warn">{w.limitsOut}</Note>
  if (warning.kind === 'twice') {
    const { direction, place, first } = warning
    return <Note mood="warn">{w.twice[direction](String(place), String(first))}</Note>
  }
  const { exposure, draft, before } = warning
  const { key, protocol, port } = draft
  const what = protocol === 'tcp' && port === '22' ? 'SSH' : port ? `${port}/${protocol}` : protocol
  return (
    <Note mood="warn">
      <b>{exposure === 'all' ? w.opens(what) : w.opensWide(what)}</b> {w.onServers(count)}{' '}
      {before && (
        <Button small onClick={() => editor.edit(key, { networks: before.networks })}>
          {w.keepNetworks(before.networks.join(', '))}
        </Button>
      )}
    </Note>
  )
}
