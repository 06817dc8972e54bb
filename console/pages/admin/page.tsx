/** The installation, for those who administer it: people, Projects, mail, health, options and the audit log. */
import { useParams } from '@tanstack/react-router'
import { type ComponentType, lazy, Suspense } from 'react'
import { MissingLater } from '../../shell/states-later.tsx'
import { PendingPage } from '../../ui/skeleton.tsx'
import { type AdminTab, AdminTabs, adminTabs } from './frame.tsx'
import { HealthPage } from './health.tsx'
import { MailPage } from './mail.tsx'
import { OptionsPage } from './options.tsx'
import { PeoplePage } from './people.tsx'
import { InstalledProjectsPage } from './projects.tsx'

const StatusPage = lazy(async () => ({ default: (await import('./status.tsx')).StatusPage }))
const LabPage = lazy(async () => ({ default: (await import('./lab.tsx')).LabPage }))
const ReportPage = lazy(async () => ({ default: (await import('../report/report.tsx')).ReportPage }))
const AuditPage = lazy(async () => ({ default: (await import('../activity/audit.tsx')).AuditPage }))

const pages: Readonly<Record<AdminTab, ComponentType>> = {
  people: PeoplePage,
  projects: InstalledProjectsPage,
  mail: MailPage,
  health: HealthPage,
  status: StatusPage,
  options: OptionsPage,
  audit: () => <AuditPage tabs={<AdminTabs current="audit" />} />,
  lab: LabPage,
  report: ReportPage,
}

export function AdminPage() {
  const { tab = 'people' } = useParams({ strict: false }) as { readonly tab?: string }
  if (!adminTabs.some((one) => one === tab)) return <MissingLater />
  const Page = pages[tab as AdminTab]
  return (
    <Suspense fallback={<PendingPage />}>
      <Page />
    </Suspense>
  )
}
