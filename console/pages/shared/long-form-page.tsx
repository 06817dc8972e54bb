/** A page with a long form in sections: beside it what will be made, what it costs, and the equivalent commands. */
import type { ReactNode } from 'react'
import type { AnyRequest } from '../../api/operations.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import type { Target } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page.tsx'
import { LongForm, type Step } from '../../ui/steps.tsx'
import { useChanged, useUnsaved } from '../../ui/unsaved.ts'
import { resources as r } from '../../words/resources.ts'
import { Equivalents } from './equivalents.tsx'
import type { Submission } from './submit.ts'

interface LongFormPageProps {
  /** Verb and thing. */
  readonly act: string
  readonly list: { readonly label: string; readonly link: Target }
  readonly steps: readonly Step[]
  /** The outcome: the price, and what it is for. */
  readonly summary: ReactNode
  readonly form: Submission
  readonly request: AnyRequest
  /** The reason it cannot be sent now. */
  readonly reason: string | undefined
  /** True once commands with what was filled in make sense. */
  readonly isNamed: boolean
  /** True once it was made; then it is not sent again, and may be left. */
  readonly isMade?: boolean
  /** What a refusal means. */
  readonly notCreated: string
}

export function LongFormPage(props: LongFormPageProps) {
  const { act, list, steps, summary, form, request, reason, isNamed, isMade = false, notCreated } = props
  const { isBusy, cause, send } = form
  useUnsaved(useChanged(request) && !isBusy && !isMade)
  return (
    <>
      <PageHead title={act} crumbs={[list]} actions={<CommandsButton request={request} />} />
      <LongForm
        label={r.sections}
        asideLabel={r.summary}
        steps={steps}
        onSubmit={() => reason === undefined && !isMade && send()}
        aside={
          <>
            <Card padded>
              {summary}
              <Button type="submit" look="primary" wide isBusy={isBusy} reason={reason}>
                {act}
              </Button>
              {cause !== undefined && <FailureNote cause={cause} what={notCreated} />}
            </Card>
            {isNamed && <Equivalents request={request} />}
          </>
        }
      />
    </>
  )
}
