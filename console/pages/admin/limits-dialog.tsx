/** Sets how much a Project may have, of all kinds at once. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiOf, outdate } from '../../api/api.ts'
import type { InputOf } from '../../api/operations.ts'
import { Commands } from '../../shell/commands.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { toast } from '../../ui/toasts.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { admin } from '../../words/en/admin.ts'
import { common } from '../../words/en/common.ts'
import { number } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import styles from './admin.module.css'
import { kindName } from './kinds.ts'
import type { InstalledProject } from './projects.tsx'

const w = wordsOf('admin', admin).projects
const c = wordsOf('common', common)
const api = apiOf(undefined)

type Limit = InstalledProject['limits'][number]
const standard = 'default'

function textOf({ own, limit }: Limit): string {
  if (!own) return standard
  return limit === null ? '' : String(limit)
}

const isLimit = (text: string) => text === '' || text === standard || /^\d{1,9}$/.test(text)
const toValue = (text: string) => (text === '' ? null : text === standard ? standard : Number(text))

export function LimitsDialog({
  project,
  onClose,
}: {
  readonly project: InstalledProject
  readonly onClose: () => void
}) {
  const cache = useQueryClient()
  const submit = useSubmit()
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(project.limits.map((limit) => [limit.kind, textOf(limit)])),
  )
  const changed = project.limits.filter((limit) => (texts[limit.kind] ?? '').trim() !== textOf(limit))
  const isValid = Object.values(texts).every((text) => isLimit(text.trim()))
  const input: InputOf<'management_setLimits'> = {
    params: { project_id: project.id },
    body: { limits: Object.fromEntries(changed.map(({ kind }) => [kind, toValue((texts[kind] ?? '').trim())])) },
  }
  const save = async () => {
    if (!isValid) return
    if (!(await submit.run(() => api.call('management_setLimits', input)))) return
    await outdate(cache, undefined, ['management'])
    toast({ mood: 'ok', title: w.saved(project.name) })
    onClose()
  }
  return (
    <Dialog
      title={w.limitsTitle(project.name)}
      text={w.limitsText}
      isWide
      onClose={onClose}
      onSubmit={() => void (changed.length > 0 && save())}
      footer={
        <span className="end row">
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button type="submit" look="primary" isBusy={submit.isBusy} disabled={!isValid || changed.length === 0}>
            {w.save}
          </Button>
        </span>
      }
    >
      <div className={styles.limits}>
        {project.limits.map(({ kind, used }) => (
          <TextField
            key={kind}
            label={kindName(kind)}
            hint={w.used(number(used))}
            value={texts[kind] ?? ''}
            onChange={(text) => setTexts((all) => ({ ...all, [kind]: text }))}
            problems={isLimit((texts[kind] ?? '').trim()) ? undefined : [w.limitProblem]}
          />
        ))}
      </div>
      {submit.cause !== undefined && <FailureNote cause={submit.cause} />}
      {isValid && changed.length > 0 && <Commands request={{ operation: 'management_setLimits', ...input }} />}
    </Dialog>
  )
}
