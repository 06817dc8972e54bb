/** The head that the pages of one's own account share. */
import type { ReactNode } from 'react'
import { PageHead } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { account as w } from '../../words/account.ts'

const tabs = ['profile', 'security', 'sessions'] as const

interface FrameProps {
  readonly tab: (typeof tabs)[number]
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function AccountFrame({ tab, actions, children }: FrameProps) {
  return (
    <>
      <PageHead title={w[tab].title} actions={actions} />
      <Tabs
        label={w.tabs.label}
        current={tab}
        tabs={tabs.map((key) => ({ key, label: w.tabs[key], link: { to: `/account/${key}` } }))}
      />
      {children}
    </>
  )
}
