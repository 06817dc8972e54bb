/** All pages: those of each family are in its slice, others in `routes/`. */
import { familyPages } from './families.ts'
import { installationPages } from './routes/account.tsx'
import { project, root } from './routes/frame.ts'
import { projectPages } from './routes/project.tsx'
import { Root } from './shell/root.tsx'
import { PendingPage } from './ui/skeleton.tsx'
import './routes/navigation.ts'

root.update({
  component: Root,
  // Nothing of the frame is there before it is known who looks.
  pendingComponent: () => (
    <main>
      <PendingPage />
    </main>
  ),
})

export const routeTree = root.addChildren([
  ...installationPages,
  project.addChildren([...projectPages, ...familyPages]),
])
