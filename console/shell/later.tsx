/** Parts of the frame that the first picture does not need. */
import { createPortal } from 'react-dom'
import { Tips } from '../ui/tips.tsx'
import { Toasts } from '../ui/toast.tsx'
import { shell as w } from '../words/shell.ts'
import { useAnnouncer } from './announcer.ts'
import { Banners } from './banners.tsx'
import { Elevation } from './elevation.tsx'
import { Live } from './live.tsx'
import { useLostFocus } from './lost-focus.ts'

export function Later({ banners }: { readonly banners: HTMLElement | null }) {
  const announced = useAnnouncer()
  useLostFocus()
  return (
    <>
      <p className="vh" role="status">
        {announced}
      </p>
      <aside aria-label={w.news}>
        <Toasts />
      </aside>
      {banners && createPortal(<Banners />, banners)}
      <Tips />
      <Live />
      <Elevation />
    </>
  )
}
