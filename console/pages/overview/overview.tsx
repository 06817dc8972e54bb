/** The forecast of a Project: what is, and what comes. */
import { useProject } from '../../api/session.ts'
import { PageHead } from '../../ui/page.tsx'

export function OverviewPage() {
  const project = useProject()
  return <PageHead title={project?.name ?? ''} />
}
