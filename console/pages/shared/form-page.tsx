/** A page with one form: fields on the left, what will be and the equivalent commands on the right. */

import type { ReactNode } from 'react'
import type { AnyRequest } from '../../api/operations.ts'
import { Commands } from '../../shell/commands.tsx'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { sent } from '../../ui/dialog-props.ts'
import { FailureNote } from '../../ui/failure.tsx'
import type { Target } from '../../ui/link.tsx'
import { Columns, PageHead } from '../../ui/page.tsx'
import { useChanged, useUnsaved } from '../../ui/unsaved.ts'
import { common as c } from '../../words/common.ts'
import { forms as f } from '../../words/forms.ts'
import { resources as w } from '../../words/resources.ts'
import type { Submission } from './submit.ts'

interface FormPageProps {
  readonly title: string
  readonly crumbs: readonly { readonly label: string; readonly link: Target }[]
  readonly form: Submission
  /** Verb and thing. */
  readonly act: string
  readonly reason: string | undefined
  /** True once everything that is needed is there. */
  readonly isReady: boolean
  readonly cancel: Target
  readonly request: AnyRequest
  /** The outcome: the price, a preview. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

export function FormPage(props: FormPageProps) {
  const { title, crumbs, form, act, reason, isReady, cancel, request, aside, children } = props
  useUnsaved(useChanged(request) && !form.isBusy)
  return (
    <form onSubmit={sent(() => isReady && reason === undefined && form.send())} noValidate>
      <div className="stack-l">
        <PageHead title={title} crumbs={crumbs} actions={<CommandsButton request={request} />} />
        <Columns
          label={w.summary}
          isSticky
          aside={
            <>
              {aside && (
                <Card title={w.summary} padded>
                  {aside}
                </Card>
              )}
              <Commands request={request} />
            </>
          }
        >
          <div className="stack-l">{children}</div>
          {form.cause !== undefined && <FailureNote cause={form.cause} />}
          <div className="row wrap">
            <Button
              type="submit"
              look="primary"
              isBusy={form.isBusy}
              reason={reason ?? (isReady ? undefined : f.missing)}
            >
              {act}
            </Button>
            <ButtonLink {...(cancel as { readonly to: '.' })} look="quiet">
              {c.cancel}
            </ButtonLink>
          </div>
        </Columns>
      </div>
    </form>
  )
}
