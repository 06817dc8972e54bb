/** Shows what is about to change: the difference, what is worth a second look, the affected servers, and the button. */
import { lazy, type ReactNode, Suspense } from 'react'
import type { AnyRequest } from '../../api/operations.ts'
import { Equivalents } from '../../pages/shared/equivalents.tsx'
import { Button } from '../../ui/button.tsx'
import card from '../../ui/card.module.css'
import { Card } from '../../ui/card.tsx'
import { cx } from '../../ui/cx.ts'
import diff from '../../ui/diff.module.css'
import { Elsewhere } from '../../ui/elsewhere.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { list } from '../../words/format.ts'
import type { Change, Content } from './draft.ts'
import type { RulesEditor } from './use-rules.ts'
import { firewalls as w } from './words.ts'

/** There are none before the first change. */
const WarningNotes = lazy(async () => ({ default: (await import('./warning-notes.tsx')).WarningNotes }))

interface ChangesProps {
  readonly editor: RulesEditor
  readonly serverNames: readonly string[]
  readonly request: AnyRequest
  readonly isBusy: boolean
  readonly cause: unknown
  readonly reason: string | undefined
  /** Shows the rules in force instead of the drafts. */
  readonly onView: () => void
  readonly onApply: () => void
}

export function Changes({ editor, serverNames, request, isBusy, cause, reason, onView, onApply }: ChangesProps) {
  const { changes, judgement, isDirty, isElsewhere } = editor
  const why = reason ?? (judgement.isFine ? undefined : w.notFine)
  return (
    <>
      <Card
        title={isDirty ? w.changes(changes.length) : w.noChanges}
        aside={isDirty && <span className="faint">{w.notApplied}</span>}
      >
        {isDirty && (
          <ul className={diff.diff}>
            {changes.map((change) => (
              <Line key={change.draft?.key ?? change.order} change={change} />
            ))}
          </ul>
        )}
        <Foot>
          <Elsewhere isElsewhere={isElsewhere} view={onView} overwrite={editor.overwrite} />
          <Suspense>{isDirty && <WarningNotes editor={editor} count={serverNames.length} />}</Suspense>
          <p className="faint">
            {isDirty ? w.willChange(serverNames.length, list(serverNames, w.moreServers)) : w.inForce}
          </p>
          {cause !== undefined && <FailureNote cause={cause} what={w.notAppliedBecause} />}
          {isDirty && (
            <div className="row wrap">
              <Button look="primary" isBusy={isBusy} reason={why} onClick={onApply}>
                {w.apply(changes.length)}
              </Button>
              <Button look="quiet" onClick={() => editor.discard()}>
                {w.discard}
              </Button>
            </div>
          )}
        </Foot>
      </Card>
      {judgement.isFine && <Equivalents request={request} />}
    </>
  )
}

function Foot({ children }: { readonly children: ReactNode }) {
  return <div className={cx(card.pad, 'stack')}>{children}</div>
}

function textOf({ direction, protocol, port, networks }: Content): readonly [string, string] {
  return [w.ruleText(protocol, port, direction), networks.join(', ') || '?']
}

function Line({ change: { kind, draft, before, order } }: { readonly change: Change }) {
  if (!draft) return <li className={diff.mod}>{w.reordered[order ?? 'in']}</li>
  const [what, networks] = textOf(kind === 'del' && before ? before : draft)
  const [oldWhat, oldNetworks] = before && kind === 'mod' ? textOf(before) : [what, networks]
  return (
    <li className={diff[kind]}>
      <span>
        <Changed before={oldWhat} after={what} /> <Changed before={oldNetworks} after={networks} />
        {kind === 'mod' && before && before.description !== draft.description && (
          <>
            {' '}
            <Changed before={before.description} after={draft.description} />
          </>
        )}
      </span>
    </li>
  )
}

function Changed({ before, after }: { readonly before: string; readonly after: string }) {
  if (before === after) return after
  return (
    <>
      {before && <del>{before}</del>} <ins>{after}</ins>
    </>
  )
}
