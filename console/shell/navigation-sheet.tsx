/** The navigation on small screens. */
import { Sheet } from '../ui/sheet.tsx'
import { shell } from '../words/en/shell.ts'
import { wordsOf } from '../words/words.ts'
import { ProjectSwitch } from './project-switch.tsx'
import { Navigation } from './side.tsx'

const w = wordsOf('shell', shell)

export function NavigationSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Sheet title={w.project} onClose={onClose} side="start">
      <ProjectSwitch />
      <Navigation onLeave={onClose} />
    </Sheet>
  )
}
