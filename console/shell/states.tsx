/** The states that every page has besides its own: failed, forbidden, and nothing there. */
import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiFailure, toFailure } from '../api/failure.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import card from '../ui/card.module.css'
import { Copyable } from '../ui/copy.tsx'
import styles from '../ui/empty.module.css'
import { wordsFor } from '../ui/failure.tsx'
import { PageHead } from '../ui/page.tsx'
import { type Mood, Sign } from '../ui/state.tsx'
import { shell } from '../words/en/shell.ts'
import { wordsOf } from '../words/words.ts'

const w = wordsOf('shell', shell)

interface StatementProps {
  readonly mood: Mood
  readonly title: string
  readonly text: ReactNode
  readonly children?: ReactNode
}

/** A page that has nothing to show but why. */
function Statement({ mood, title, text, children }: StatementProps) {
  return (
    <>
      <PageHead title={title} />
      <section className={card.card}>
        <div className={styles.empty}>
          <Sign mood={mood} />
          <p className="dim">{text}</p>
          {children}
        </div>
      </section>
    </>
  )
}

export function Missing() {
  return (
    <Statement mood="unknown" title={w.states.missing} text={w.states.missingText}>
      <ButtonLink to="/">{w.allProjects}</ButtonLink>
    </Statement>
  )
}

export function PageFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const { reset: resetQueries } = useQueryErrorResetBoundary()
  const failure = toFailure(error)
  if (failure.status === 404) return <Missing />
  if (failure.status === 403) return <Forbidden needs={failure.details?.needs} />
  const again = () => {
    // What is not a refusal of the API, such as a file that went with an upgrade, is only there after loading anew.
    if (!(error instanceof ApiFailure)) return window.location.reload()
    resetQueries()
    reset()
    void router.invalidate()
  }
  return (
    <Statement
      mood="bad"
      title={w.states.failed}
      text={
        <>
          {wordsFor(failure)} {w.states.failedText}
        </>
      }
    >
      <Button icon="refresh" onClick={again}>
        {w.states.again}
      </Button>
      <p className="row faint">
        <span className="mono">{failure.code}</span>
        {failure.correlationId && <Copyable text={failure.correlationId} />}
      </p>
    </Statement>
  )
}

function Forbidden({ needs }: { readonly needs: unknown }) {
  const role = w.roles[needs as keyof typeof w.roles]
  return (
    <Statement
      mood="warn"
      title={w.states.forbidden}
      text={
        needs === 'operator' ? w.states.lacksOperator : role ? w.states.forbiddenText(role) : w.states.forbiddenPlain
      }
    >
      <ButtonLink to="/">{w.allProjects}</ButtonLink>
    </Statement>
  )
}
