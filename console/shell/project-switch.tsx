/** Chooses the Project whose pages are shown. */
import { useQuery } from '@tanstack/react-query'
import { projectsQuery, useProject } from '../api/session.ts'
import { projectLink } from '../families.ts'
import { Icon } from '../ui/icon.tsx'
import { useGo } from '../ui/link.tsx'
import { MenuOf } from '../ui/menu.tsx'
import type { MenuEntry } from '../ui/menu-entry.ts'
import styles from '../ui/shell.module.css'
import { shell as w } from '../words/shell.ts'

export function ProjectSwitch() {
  const go = useGo()
  const project = useProject()
  const { data: projects = [] } = useQuery(projectsQuery)
  const entries = (): MenuEntry[] => [
    ...projects
      .filter(({ role }) => role)
      .map(({ id, name, role }) => ({
        key: String(id),
        label: name,
        aside: w.roles[role!],
        isChosen: id === project?.id,
        onSelect: () => void go(projectLink(id)),
      })),
    'line',
    { key: 'all', label: w.allProjects, icon: 'overview', onSelect: () => void go({ to: '/' }) },
  ]
  return (
    <MenuOf label={w.chooseProject} entries={entries}>
      {(button) => (
        <button type="button" className={styles.switch} {...button}>
          <span>
            <b>{project?.name ?? w.allProjects}</b>
            <span className="faint">
              {project ? (project.role ? w.roles[project.role] : w.roles.operator) : w.chooseProject}
            </span>
          </span>
          <Icon name="updown" />
        </button>
      )}
    </MenuOf>
  )
}
