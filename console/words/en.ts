/** English: the words of all areas. Code uses the area that it needs; this list is only for types and other languages. */
import { common } from './en/common.ts'
import { errors } from './en/errors.ts'
import { keys } from './en/keys.ts'
import { overview } from './en/overview.ts'
import { palette } from './en/palette.ts'
import { projects } from './en/projects.ts'
import { servers } from './en/servers.ts'
import { shell } from './en/shell.ts'

export const en = { common, errors, keys, overview, palette, projects, servers, shell }
