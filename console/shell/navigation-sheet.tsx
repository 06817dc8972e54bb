/** The navigation on small screens. */
import { Sheet } from '../ui/sheet.tsx'
import { shell as w } from '../words/shell.ts'
import { ProjectSwitch } from './project-switch.tsx'
import { Navigation } from './side.tsx'

export function NavigationSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Sheet title={w.project} onClose={onClose} side="start">
      <ProjectSwitch />
      <Navigation onLeave={onClose} />
    </Sheet>
  )
}
