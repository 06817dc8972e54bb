/** Sets how much a Project may have, of all kinds at once. */
import { useState } from 'react'
import { TextField } from '../../ui/field.tsx'
import { toast } from '../../ui/toasts.ts'
import { admin } from '../../words/admin.ts'
import { number } from '../../words/format.ts'
import { FormDialog } from '../shared/form-dialog.tsx'
import { kindName } from '../shared/kinds.ts'
import { limitOf, standard } from '../shared/limit.ts'
import styles from './admin.module.css'
import type { InstalledProject } from './installed-project.ts'

const w = admin.projects

type Limit = InstalledProject['limits'][number]

function textOf({ own, limit }: Limit): string {
  if (!own) return standard
  return limit === null ? '' : String(limit)
}

interface LimitsDialogProps {
  readonly project: InstalledProject
  readonly onClose: () => void
}

export function LimitsDialog({ project: { id, name, limits }, onClose }: LimitsDialogProps) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(limits.map((limit) => [limit.kind, textOf(limit)])),
  )
  const textFor = (kind: string) => (texts[kind] ?? '').trim()
  const changed = limits.filter((limit) => textFor(limit.kind) !== textOf(limit))
  const values = changed.flatMap(({ kind }): readonly (readonly [string, number | null | typeof standard])[] => {
    const value = limitOf(textFor(kind))
    return value === undefined ? [] : [[kind, value]]
  })
  const isReady = changed.length > 0 && values.length === changed.length
  return (
    <FormDialog
      title={w.limitsTitle(name)}
      text={w.limitsText}
      act={w.save}
      isWide
      request={
        isReady
          ? {
              operation: 'management_setLimits',
              params: { project_id: id },
              body: { limits: Object.fromEntries(values) },
            }
          : undefined
      }
      families={['management']}
      onDone={() => toast({ mood: 'ok', title: w.saved(name) })}
      onClose={onClose}
    >
      {() => (
        <div className={styles.limits}>
          {limits.map(({ kind, used }) => (
            <TextField
              key={kind}
              label={kindName(kind)}
              hint={used === null ? undefined : w.used(number(used))}
              value={texts[kind] ?? ''}
              onChange={(text) => setTexts((all) => ({ ...all, [kind]: text }))}
              problems={limitOf(textFor(kind)) === undefined ? [w.limitProblem] : undefined}
            />
          ))}
        </div>
      )}
    </FormDialog>
  )
}
