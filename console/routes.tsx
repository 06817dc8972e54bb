/** All pages, by area. A page is one entry in the file of its area in `routes/`. */
import { installationPages } from './routes/account.tsx'
import { project, root } from './routes/frame.tsx'
import { namePages } from './routes/names.tsx'
import { networkingPages } from './routes/networking.tsx'
import { projectPages } from './routes/project.tsx'
import { serverPages } from './routes/servers.tsx'
import './routes/navigation.ts'

export const routeTree = root.addChildren([
  ...installationPages,
  project.addChildren([...projectPages, ...serverPages, ...networkingPages, ...namePages]),
])
