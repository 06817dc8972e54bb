/** The navigation at the side. Below 900 px the same is in a sheet. */
import { useLocation } from '@tanstack/react-router'
import { version } from '../../src/version.ts'
import { useProjectId } from '../api/api.ts'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import styles from '../ui/shell.module.css'
import { tip } from '../ui/tip.ts'
import { shell as w } from '../words/shell.ts'
import { type NavigationEntry, navigation } from './navigation.ts'
import { ProjectSwitch } from './project-switch.tsx'

export function Brand() {
  return (
    <Link to="/" className={styles.brand} aria-label={w.home}>
      <svg className={styles.mark} aria-hidden="true">
        <use href="#mark" />
      </svg>
      <svg className={styles.word} aria-hidden="true">
        <use href="#word" />
      </svg>
    </Link>
  )
}

export function Side() {
  return (
    <aside className={styles.side} aria-label={w.project}>
      <Brand />
      <ProjectSwitch />
      <Navigation />
      <footer className="faint">
        Wolke {version} · {hostOf(window.location.hostname)}
      </footer>
    </aside>
  )
}

/** What runs on the machine of the reader has no better name. */
function hostOf(name: string): string {
  return /(^|\.)localhost$|^127\.|^\[::1/.test(name) ? w.thisMachine : name
}

export function Navigation({ onLeave }: { readonly onLeave?: () => void }) {
  const project = useProjectId()
  const here = useLocation({ select: ({ pathname }) => pathname })
  if (project === undefined) return null
  return (
    <nav aria-label={w.project}>
      {navigation().map(({ title, entries }) => (
        <div className={styles.nav} key={title ?? ''}>
          {title && <h2>{title}</h2>}
          {entries.map((entry) => (
            <Entry key={entry.to} entry={entry} project={project} here={here} onLeave={onLeave} />
          ))}
        </div>
      ))}
    </nav>
  )
}

function Entry({
  entry,
  project,
  here,
  onLeave,
}: {
  readonly entry: NavigationEntry
  readonly project: number
  /** The path that is open. */
  readonly here: string
  readonly onLeave: (() => void) | undefined
}) {
  const { to, label, icon, keys } = entry
  const path = to.replace('$project', String(project))
  const isHere = here === path || (to !== '/projects/$project' && here.startsWith(`${path}/`))
  return (
    <Link to={to} aria-current={isHere ? 'page' : undefined} onClick={onLeave} {...tip('', keys)}>
      <Icon name={icon} />
      {label}
    </Link>
  )
}
