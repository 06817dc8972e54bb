/** The frame around all pages: navigation, top bar, the page, and what lies on top of it. */
import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useLack } from '../api/session.ts'
import { isLab } from '../lib/lab.ts'
import { firstPicture } from '../ui/layers.ts'
import { Link } from '../ui/link.tsx'
import page from '../ui/page.module.css'
import styles from '../ui/shell.module.css'
import { TopSlot } from '../ui/top-slot.tsx'
import { useStages } from '../ui/use-stages.ts'
import { shell as w } from '../words/shell.ts'
import { Bar } from './bar.tsx'
import { GlobalKeys } from './global-keys.tsx'
import { Side } from './side.tsx'

const Later = lazy(async () => {
  await firstPicture
  return { default: (await import('./later.tsx')).Later }
})

/** Nobody can miss that the cloud is a lab. */
function LabBand() {
  const lack = useLack('lab_getWholeReport')
  return (
    <aside className={styles.lab} aria-label={w.lab}>
      {w.labText}{' '}
      {lack === undefined && (
        <Link to="/admin/{-$tab}" params={{ tab: 'report' }}>
          {w.labReport}
        </Link>
      )}
    </aside>
  )
}

export function Root() {
  const [banners, setBanners] = useState<HTMLElement | null>(null)
  // The frame of the HTML page stands for this one until that is drawn, and the page comes after it.
  const stage = useStages(2)
  if (stage === 0) return null
  return (
    <>
      <a className="skip" href="#main">
        {w.skip}
      </a>
      <div className={styles.shell}>
        <Side />
        <div className={styles.content}>
          {isLab && <LabBand />}
          <Bar />
          <div ref={setBanners} className={styles.banners} />
          <main id="main" className={page.page} tabIndex={-1}>
            {stage === 2 && <Outlet />}
            <div id="layers" />
            <TopSlot />
          </main>
        </div>
      </div>
      <Suspense>
        <Later banners={banners} />
      </Suspense>
      <GlobalKeys />
    </>
  )
}
