/** The installation, for those who administer it: people, Projects, mail, health, options and the audit log. */
import { useParams } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { MissingLater } from '../../shell/states-later.tsx'
import { AuditPage } from '../activity/audit.tsx'
import { type AdminTab, AdminTabs } from './frame.tsx'
import { HealthPage } from './health.tsx'
import { MailPage } from './mail.tsx'
import { OptionsPage } from './options.tsx'
import { PeoplePage } from './people.tsx'
import { InstalledProjectsPage } from './projects.tsx'

const pages: Readonly<Record<AdminTab, ComponentType>> = {
  people: PeoplePage,
  projects: InstalledProjectsPage,
  mail: MailPage,
  health: HealthPage,
  options: OptionsPage,
  audit: () => <AuditPage tabs={<AdminTabs current="audit" />} />,
}

export function AdminPage() {
  const { tab = 'people' } = useParams({ strict: false }) as { readonly tab?: string }
  if (!Object.hasOwn(pages, tab)) return <MissingLater />
  const Page = pages[tab as AdminTab]
  return <Page />
}
