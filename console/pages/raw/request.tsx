/** One operation: a form made from its schema, the same as commands, and what the server answers. */
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useProjectId } from '../../api/api.ts'
import { send } from '../../api/client.ts'
import { isOperation, type OperationId, operationOf } from '../../api/operations.ts'
import { outdateAll } from '../../api/outdate.ts'
import { Commands } from '../../shell/commands.tsx'
import { useReason } from '../../shell/may.ts'
import { MissingLater } from '../../shell/states-later.tsx'
import { Button, ButtonAnchor } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Check } from '../../ui/check.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { sent } from '../../ui/dialog-props.ts'
import { FailureNote } from '../../ui/failure.tsx'
import { AreaField } from '../../ui/field.tsx'
import { Columns, PageHead } from '../../ui/page.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { common as c } from '../../words/common.ts'
import { raw as w } from '../../words/raw.ts'
import { shell } from '../../words/shell.ts'
import { descriptionOf } from './descriptions.ts'
import { RawInput } from './fields.tsx'
import { type Draft, formOf, losesSomething, type RawField, type RawForm, requestOf } from './model.ts'
import type { Answer } from './reply.tsx'

const Question = lazy(async () => ({ default: (await import('./question.tsx')).Question }))
const Reply = lazy(async () => ({ default: (await import('./reply.tsx')).Reply }))

const { roles } = shell
const here = '/projects/$project/raw/$operation'

export function RequestPage() {
  const { operation } = useParams({ from: here })
  if (!isOperation(operation)) return <MissingLater />
  return <Request key={operation} id={operation} />
}

function needsOf(id: OperationId): string {
  const { needs } = operationOf(id)
  const { elevated } = descriptionOf(id)
  const others = { nobody: w.anybody, person: w.person, anyone: w.anyone } as const
  const who = needs in others ? others[needs as keyof typeof others] : roles[needs as keyof typeof roles]
  return elevated ? `${who}; ${w.elevated}` : who
}

function Head({ id }: { readonly id: OperationId }) {
  const { method, path, base } = operationOf(id)
  const { summary, section } = descriptionOf(id)
  return (
    <PageHead
      title={summary}
      crumbs={[{ label: w.title, link: { to: '/projects/$project/raw' } }]}
      facts={
        <>
          <Copyable text={`${method} ${base}${path}`} label={c.copy} />
          <span>
            {w.needs}: {needsOf(id)}
          </span>
        </>
      }
      actions={
        <ButtonAnchor look="quiet" icon="doc" href={`/docs#${encodeURIComponent(section)}`}>
          {c.documentation}
        </ButtonAnchor>
      }
    />
  )
}

function Request({ id }: { readonly id: OperationId }) {
  const project = useProjectId()
  const cache = useQueryClient()
  const submit = useSubmit()
  const { method } = operationOf(id)
  const form = useMemo(() => formOf(id), [id])
  const [draft, setDraft] = useState<Draft>({ texts: { 'params.project_id': String(project) }, json: undefined })
  const [hasTried, tried] = useState(false)
  const [kept, keep] = useState(draft)
  useUnsaved(draft !== kept && !submit.isBusy)
  const [answer, setAnswer] = useState<Answer>()
  const [isAsking, ask] = useState(false)
  const reason = useReason(id)
  const { request, problems } = requestOf(id, form, draft)
  const submitted = () => {
    tried(true)
    if (reason !== undefined || Object.keys(problems).length > 0) return
    if (losesSomething(id)) ask(true)
    else void go()
  }
  const go = async () => {
    setAnswer(undefined)
    const begun = performance.now()
    await submit.run(async () => {
      const reply = await send(project, request)
      keep(draft)
      setAnswer({ reply, ms: performance.now() - begun })
    })
    if (method !== 'GET') await outdateAll(cache, project)
  }
  return (
    <>
      <Head id={id} />
      <Columns aside={<Commands request={request} />} label={c.equivalent} isSticky>
        <form onSubmit={sent(submitted)} noValidate>
          <Card
            title={w.operation}
            aside={<span className="faint mono">{id}</span>}
            padded
            footer={
              <Button
                type="submit"
                look={method === 'DELETE' ? 'danger' : 'primary'}
                isBusy={submit.isBusy}
                reason={reason}
              >
                {w.send}
              </Button>
            }
          >
            <Fields form={form} draft={draft} setDraft={setDraft} problems={hasTried ? problems : {}} />
          </Card>
        </form>
        <div role="status">
          {submit.cause !== undefined && <FailureNote cause={submit.cause} />}
          <Suspense>{answer && <Reply answer={answer} />}</Suspense>
        </div>
      </Columns>
      {isAsking && (
        <Suspense>
          <Question request={request} onConfirm={() => void go()} onClose={() => ask(false)} />
        </Suspense>
      )}
    </>
  )
}

interface FieldsProps {
  readonly form: RawForm
  readonly draft: Draft
  readonly setDraft: (draft: Draft) => void
  readonly problems: Readonly<Record<string, string>>
}

function Fields({ form, draft, setDraft, problems }: FieldsProps) {
  const { texts, json } = draft
  const draw = (field: RawField) => (
    <RawInput
      key={field.key}
      field={field}
      text={texts[field.key] ?? ''}
      problem={problems[field.key]}
      onChange={(text) => setDraft({ ...draft, texts: { ...texts, [field.key]: text } })}
    />
  )
  const parts = [
    [w.params, form.params],
    [w.query, form.query],
    [w.body, json === undefined ? form.body : []],
  ] as const
  const isEmpty = parts.every(([, fields]) => fields.length === 0) && !form.hasBody
  return (
    <div className="stack-l">
      {isEmpty && <p className="dim">{w.noInput}</p>}
      {parts.map(
        ([title, fields]) =>
          fields.length > 0 && (
            <fieldset key={title} className="stack">
              <legend>{title}</legend>
              {fields.map(draw)}
            </fieldset>
          ),
      )}
      {form.hasBody && (
        <Check
          kind="switch"
          checked={json !== undefined}
          onChange={(on) => setDraft({ ...draft, json: on ? '{\n}' : undefined })}
        >
          {w.asJson}
        </Check>
      )}
      {json !== undefined && (
        <AreaField
          label={w.body}
          isMono
          rows={10}
          value={json}
          onChange={(text) => setDraft({ ...draft, json: text })}
          problems={problems.json ? [problems.json] : undefined}
        />
      )}
    </div>
  )
}
