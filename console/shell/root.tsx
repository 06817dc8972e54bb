/** The frame around all pages: navigation, top bar, the page, and what lies on top of it. */
import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useDeferredValue, useState } from 'react'
import page from '../ui/page.module.css'
import styles from '../ui/shell.module.css'
import { TopSlot } from '../ui/top-slot.tsx'
import { shell } from '../words/en/shell.ts'
import { wordsOf } from '../words/words.ts'
import { Bar } from './bar.tsx'
import { GlobalKeys } from './global-keys.tsx'
import { Side } from './side.tsx'

const w = wordsOf('shell', shell)
const Later = lazy(async () => ({ default: (await import('./later.tsx')).Later }))

export function Root() {
  const [banners, setBanners] = useState<HTMLElement | null>(null)
  // What the page takes to be drawn is a task of its own, which lets others in between.
  const isFramed = useDeferredValue(true, false)
  return (
    <>
      <a className="skip" href="#main">
        {w.skip}
      </a>
      <div className={styles.shell}>
        <Side />
        <div className={styles.content}>
          <Bar />
          <div ref={setBanners} className={styles.banners} />
          <main id="main" className={page.page} tabIndex={-1}>
            {isFramed && <Outlet />}
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
