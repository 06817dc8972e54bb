/** The states that every page has besides its own: failed, forbidden, and nothing there. */
import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useLocation, useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiFailure, toFailure } from '../api/failure.ts'
import { useProject } from '../api/session.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import card from '../ui/card.module.css'
import { Copyable } from '../ui/copy.tsx'
import styles from '../ui/empty.module.css'
import { wordsFor } from '../ui/failure.tsx'
import type { Target } from '../ui/link.tsx'
import { Breakable, PageHead } from '../ui/page.tsx'
import { type Mood, Sign } from '../ui/state.tsx'
import { pageStates as s } from '../words/page-states.ts'
import { shell as w } from '../words/shell.ts'
import { type NavigationEntry, navigation } from './navigation.ts'

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

/** The way on for somebody whom an address led to nothing. */
export interface Way {
  readonly label: string
  readonly link: Target
}

/** Nothing has the address: a page, a part of one, an operation or a resource that is not there. */
export function Missing({ back }: { readonly back?: Way | undefined }) {
  const { pathname } = useLocation()
  const nearest = useNearest(pathname)
  const { label, link } = back ?? nearest
  return (
    <Statement
      mood="unknown"
      title={s.missing}
      text={
        <>
          <span className="mono">
            <Breakable text={pathname} />
          </span>
          <br />
          {s.missingText}
        </>
      }
    >
      <ButtonLink {...link}>{label}</ButtonLink>
    </Statement>
  )
}

/** The page of the navigation that an address is closest to; of Projects that one is not in, and elsewhere, all Projects. */
function useNearest(pathname: string): Way {
  const project = useProject()
  if (/^\/admin\b/.test(pathname)) return { label: w.navigation.installation, link: { to: '/admin/{-$tab}' } }
  if (!project) return { label: w.allProjects, link: { to: '/' } }
  const params = { project: String(project.id) }
  const isAbove = ({ to }: NavigationEntry) => pathname.startsWith(`${to.replace('$project', params.project)}/`)
  const [first, ...others] = navigation().flatMap(({ entries }) => entries)
  const { label, to } = others.find(isAbove) ?? first!
  return { label, link: { to, params } }
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
          {wordsFor(failure)} {s.failedText}
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
      title={s.forbidden}
      text={needs === 'operator' ? w.states.lacksOperator : role ? s.forbiddenText(role) : s.forbiddenPlain}
    >
      <ButtonLink to="/">{w.allProjects}</ButtonLink>
    </Statement>
  )
}
