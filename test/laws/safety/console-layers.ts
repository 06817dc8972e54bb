/** Who may import whom in the console. Paths are below the root of the project here. */
import type { Source } from '../source.ts'
import { circlesAmong } from './imports.ts'
import { checkImports, checkMatches, inFolder, nameOf, type Rule } from './rules.ts'

/** What each part of the console may import besides itself. A part that is not here may not be in it. */
const layers: Readonly<Record<string, readonly string[]>> = {
  generated: ['families'],
  lib: ['api', 'commands/shell.ts', 'generated', 'words'],
  // Names are of what the API has, and reasons of what commands lack; the list of servers is mostly the first page.
  words: ['api', 'commands/request.ts', 'families/servers', 'generated', 'lib'],
  api: ['generated', 'lib'],
  commands: ['api', 'generated', 'lib'],
  // Why something was refused is drawn by parts; they know no more of the API.
  ui: ['api/failure.ts', 'generated/icons.ts', 'lib', 'shortcuts.ts', 'words'],
  shell: ['api', 'commands', 'families.ts', 'lib', 'shortcuts.ts', 'ui', 'words'],
  routes: ['api', 'families.ts', 'lib', 'pages', 'shell/navigation.ts', 'ui', 'words'],
  'families.ts': ['api', 'generated', 'routes/entry.ts', 'ui', 'words'],
  pages: ['api', 'commands', 'families', 'families.ts', 'generated', 'lib', 'shell', 'shortcuts.ts', 'ui', 'words'],
  families: [
    'api',
    'commands',
    'families.ts',
    // Forms and cards to which other families add their part.
    'generated/prices.ts',
    'generated/server-part.ts',
    'lib',
    'pages',
    'routes/entry.ts',
    'routes/frame.ts',
    'shell',
    'ui',
    'words',
  ],
  'routes.tsx': ['families.ts', 'routes', 'shell', 'ui'],
  'router.tsx': ['routes.tsx', 'shell', 'ui'],
  'shortcuts.ts': ['lib'],
  'start.tsx': ['api', 'router.tsx', 'shell', 'shortcuts.ts', 'ui'],
  'main.tsx': ['api/early.ts', 'look', 'start.tsx', 'words'],
  'build.ts': [],
  'vite.config.ts': [],
}

const below = (path: string) => (path.startsWith('console/') ? path.slice('console/'.length) : undefined)
const partOf = (path: string) => path.split('/')[0]!
const sliceOf = (path: string) => /^console\/families\/([^/]+)\//.exec(path)?.[1]
const isConsole = ({ path }: Source) => inFolder(path, 'console') && /\.tsx?$/.test(path)
const ofConsole =
  (check: Rule['check']): Rule['check'] =>
  (sources) =>
    check(sources.filter(isConsole))

const layering: Rule = {
  promise: 'each part of the console imports only parts below it: what is drawn knows no API, and the API no families',
  check: ofConsole(
    checkImports(({ path }, { file = '' }) => {
      const [from, to] = [below(path)!, below(file)]
      if (to === undefined) return true
      return [partOf(from), ...(layers[partOf(from)] ?? [])].some((allowed) => inFolder(to, allowed))
    }),
  ),
  planted: [
    { 'console/ui/a.tsx': "import { useApi } from '../api/api.ts'" },
    { 'console/ui/a.tsx': "import { families } from '../families.ts'" },
    { 'console/api/a.ts': "import type { Family } from '../families.ts'" },
    { 'console/api/a.ts': "import { networks } from '../families/networks/words.ts'" },
    { 'console/shell/a.ts': "const { NetworksPage } = await import('../families/networks/list.tsx')" },
    { 'console/elsewhere/a.ts': "import { Button } from '../ui/button.tsx'" },
  ],
}

/**
 * What is loaded on demand by what it needs itself: an entry leads to pages, which know where all pages are, and the
 * question before a dialog is left is a dialog.
 */
const withoutPages = (source: Source): Source =>
  nameOf(source.path) === 'entry.ts' || source.path === 'console/ui/unsaved.ts'
    ? { ...source, imports: source.imports.filter(({ names }) => names.length > 0) }
    : source

export const circlesOfConsole: Rule = {
  promise:
    'no file of the console imports itself through others, not even for a type or later, but pages by their routes',
  check: ofConsole((sources) => circlesAmong(sources.map(withoutPages)).map((circle) => circle.join(' <-> '))),
  planted: [
    { 'console/ui/a.tsx': "import { b } from './b.ts'", 'console/ui/b.ts': "import type { A } from './a.tsx'" },
    { 'console/ui/a.tsx': "const { b } = await import('./b.ts')", 'console/ui/b.ts': "import { a } from './a.tsx'" },
    {
      'console/families.ts': "import { entry } from './generated/entry.ts'",
      'console/generated/entry.ts': "import { entry } from '../families/a/entry.ts'",
      'console/families/a/entry.ts': "import { families } from '../../families.ts'",
    },
  ],
}

/** What slices show each other: what a server, its parts and the members of a group are, what things cost, and words. */
const shown = /^(lines|server|part|members|prices|words)\.tsx?$/

const betweenSlices: Rule = {
  promise: 'slices of families know of each other only what they show others, and what all addresses share',
  check: ofConsole(
    checkImports(({ path }, { file = '' }) => {
      const [from, to] = [sliceOf(path), sliceOf(file)]
      return from === undefined || to === undefined || from === to || to === 'addresses' || shown.test(nameOf(file))
    }),
  ),
  planted: [
    { 'console/families/networks/list.tsx': "import { columns } from '../servers/columns.tsx'" },
    { 'console/families/networks/entry.ts': "const { ServersPage } = await import('../servers/list.tsx')" },
  ],
}

const oneWayBack: Rule = {
  promise: 'what was read becomes outdated in one way, whether a form, an action or an event tells of a change',
  check: ofConsole(checkMatches(/\b(?:invalidate|refetch)Queries\b/g, ({ path }) => path === 'console/api/outdate.ts')),
  planted: [{ 'console/pages/a.tsx': 'void cache.invalidateQueries(projectsQuery)' }],
}

export const consoleLayers: readonly Rule[] = [layering, circlesOfConsole, betweenSlices, oneWayBack]
