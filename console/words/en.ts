/** English: the words of all areas. Code uses the area that it needs; this list is only for types and other languages. */
import { common } from './en/common.ts'
import { errors } from './en/errors.ts'
import { firewalls } from './en/firewalls.ts'
import { keys } from './en/keys.ts'
import { newServer } from './en/new-server.ts'
import { overview } from './en/overview.ts'
import { palette } from './en/palette.ts'
import { projects } from './en/projects.ts'
import { reach } from './en/reach.ts'
import { resources } from './en/resources.ts'
import { server } from './en/server.ts'
import { servers } from './en/servers.ts'
import { shell } from './en/shell.ts'

export const en = {
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
}
