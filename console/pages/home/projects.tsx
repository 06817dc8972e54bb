/** All Projects that the caller is in, each with what is to be said of it. */

import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { whoamiQuery } from '../../api/session.ts'
import { shownOf } from '../../families/pricing/lines.ts'
import { projectLink } from '../../families.ts'
import { aMonth } from '../../lib/money.ts'
import { useStore } from '../../lib/store.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { useReason } from '../../shell/may.ts'
import { BoxField } from '../../ui/box-field.tsx'
import { Button, ButtonLink, IconButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Link, useGo } from '../../ui/link.tsx'
import { Breakable, FactLine, PageHead } from '../../ui/page.tsx'
import { Sign } from '../../ui/state.tsx'
import { Tools } from '../../ui/table.tsx'
import { useShortcut } from '../../ui/use-shortcut.ts'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { projects as w } from '../../words/projects.ts'
import { shell as frame } from '../../words/shell.ts'
import { NewProject } from './new-project.tsx'
import styles from './projects.module.css'
import { type Project, pinned, summariesQuery, switchPin } from './summaries.ts'

export function ProjectsPage() {
  const go = useGo()
  const { data: all } = useSuspenseQuery(summariesQuery)
  const { data: { whoami } = {} } = useQuery(whoamiQuery)
  const [isCreating, create] = useState(false)
  const reason = useReason('management_createProject')
  useShortcut('create', reason ? undefined : () => create(true))
  // Installation admins see others in the pages of the installation.
  const projects = all.filter(({ role }) => role !== null)
  const button = (
    <Button look="primary" icon="plus" reason={reason} keys="C" onClick={() => create(true)}>
      {w.create}
    </Button>
  )
  return (
    <>
      <PageHead
        title={w.title}
        count={number(projects.length)}
        actions={
          <>
            {whoami?.operator && (
              <ButtonLink look="quiet" icon="settings" to="/admin/{-$tab}" params={{ tab: 'projects' }}>
                {w.allOfInstallation}
              </ButtonLink>
            )}
            <CommandsButton request={{ operation: 'management_listProjects', query: { summary: true } }} />
            {button}
          </>
        }
      />
      {projects.length === 0 ? (
        <Empty
          title={reason ? w.noneOwn : w.none}
          text={reason ? w.noneOwnText : w.noneText}
          action={reason ? undefined : button}
          command={reason ? undefined : w.noneCommand}
        />
      ) : (
        <Cards projects={projects} />
      )}
      {isCreating && <NewProject onCreated={({ id }) => go(projectLink(id))} onClose={() => create(false)} />}
    </>
  )
}

function Cards({ projects }: { readonly projects: readonly Project[] }) {
  const { q } = useSearch({ strict: false }) as { readonly q?: unknown }
  const text = q === undefined ? '' : String(q)
  const navigate = useNavigate()
  const filter = (next: string) => void navigate({ to: '.', search: next ? { q: next } : {}, replace: true } as never)
  const box = useRef<HTMLInputElement>(null)
  useShortcut('filter', () => box.current?.focus())
  const first = useStore(pinned)
  const shown = projects
    .filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
    .sort((a, b) => Number(first.includes(b.id)) - Number(first.includes(a.id)) || a.name.localeCompare(b.name))
  return (
    <>
      <Tools>
        <BoxField
          ref={box}
          icon="search"
          type="search"
          label={w.filter}
          placeholder={w.filterHint}
          hotkey="/"
          value={text}
          onChange={filter}
        />
      </Tools>
      {shown.length === 0 ? (
        <p className="row dim">
          {c.table.nothingFits}
          <Button small onClick={() => filter('')}>
            {c.table.clearFilter}
          </Button>
        </p>
      ) : (
        <ul className={styles.projects}>
          {shown.map((project) => (
            <Card key={project.id} project={project} isPinned={first.includes(project.id)} />
          ))}
        </ul>
      )}
    </>
  )
}

function Card({ project, isPinned }: { readonly project: Project; readonly isPinned: boolean }) {
  const { id, name, role, resources, summary } = project
  const { servers = 0, ...others } = resources
  const rest = Object.values(others).reduce((sum, count) => sum + count, 0)
  return (
    <li className={styles.project}>
      <Link {...projectLink(id)}>
        <b>
          <Breakable text={name} />
        </b>
      </Link>
      <IconButton
        icon={isPinned ? 'check' : 'pin'}
        label={w.pin(name)}
        small
        aria-pressed={isPinned}
        onClick={() => switchPin(id)}
      />
      <p className="dim">
        {[role && frame.roles[role], w.counts(servers), rest > 0 && w.others(rest)].filter(Boolean).join(' · ')}
      </p>
      {summary && <Summary summary={summary} />}
    </li>
  )
}

function Summary({ summary }: { readonly summary: NonNullable<Project['summary']> }) {
  const { running_actions: running, failed_resources: failed, ending_certificates: ending, monthly } = summary
  const amount = shownOf(monthly)
  return (
    <FactLine>
      {running > 0 && (
        <span>
          <Sign mood="busy" />
          {w.running(running)}
        </span>
      )}
      {failed > 0 && (
        <span>
          <Sign mood="bad" />
          {w.failed(failed)}
        </span>
      )}
      {ending > 0 && (
        <span>
          <Sign mood="warn" />
          {w.ending(ending)}
        </span>
      )}
      {running === 0 && failed === 0 && ending === 0 && <span className="faint">{w.quiet}</span>}
      {Number(amount) > 0 && <span>{w.about(aMonth(amount, monthly.currency))}</span>}
    </FactLine>
  )
}
