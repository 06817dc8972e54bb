/** German: the words of all areas. */
import { common } from './de/common.ts'
import { errors } from './de/errors.ts'
import { firewalls } from './de/firewalls.ts'
import { keys } from './de/keys.ts'
import { newServer } from './de/new-server.ts'
import { overview } from './de/overview.ts'
import { palette } from './de/palette.ts'
import { projects } from './de/projects.ts'
import { reach } from './de/reach.ts'
import { resources } from './de/resources.ts'
import { server } from './de/server.ts'
import { servers } from './de/servers.ts'
import { shell } from './de/shell.ts'
import type { Words } from './words.ts'

export const de = {
  common,
  errors,
  firewalls,
  keys,
  newServer,
  overview,
  palette,
  projects,
  reach,
  resources,
  server,
  servers,
  shell,
} satisfies Words
