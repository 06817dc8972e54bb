/** All Projects that the caller is in. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Project, projectsQuery } from '../../api/session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page.tsx'
import { projects as english } from '../../words/en/projects.ts'
import { shell } from '../../words/en/shell.ts'
import { number } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import styles from './projects.module.css'

const w = wordsOf('projects', english)
const frame = wordsOf('shell', shell)

export function ProjectsPage() {
  const { data: projects } = useSuspenseQuery(projectsQuery)
  return (
    <>
      <PageHead title={w.title} count={number(projects.length)} />
      {projects.length === 0 ? (
        <Empty title={w.none} text={w.noneText} command={w.noneCommand} />
      ) : (
        <ul className={styles.projects}>
          {projects.map((project) => (
            <Card key={project.id} project={project} />
          ))}
        </ul>
      )}
    </>
  )
}

function Card({ project: { id, name, role, resources } }: { readonly project: Project }) {
  return (
    <li>
      <Link to="/projects/$project" params={{ project: String(id) }} className={styles.project}>
        <b>{name}</b>
        <Icon name="arrow" />
        <span className="faint">
          {role ? frame.roles[role] : frame.roles.operator}· {w.counts(resources.servers ?? 0)}
        </span>
      </Link>
    </li>
  )
}
