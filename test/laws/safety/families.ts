/** Which files a family has, and what each is for (ARCHITECTURE.md: where things are). */
import { lineAt, type Source } from '../source.ts'
import { familyOf, nameOf, type Rule } from './rules.ts'

const ofFamilies = (sources: readonly Source[]) => sources.filter(({ path }) => familyOf(path) !== undefined)
const named = (sources: readonly Source[], ...names: readonly string[]) =>
  ofFamilies(sources).filter(({ path }) => names.includes(nameOf(path)))

const exported = /^export [^\n]*/gm

const routes: Rule = {
  promise: 'a routes.ts exports its table of handlers and nothing else',
  check: (sources) =>
    named(sources, 'routes.ts').flatMap((source) => {
      const [first, ...more] = [...source.bare.matchAll(exported)]
      const isTable = first !== undefined && /^export function \w+Routes\(/.test(first[0])
      return (isTable ? more : [first, ...more]).map(
        (one) => `${source.path}:${one ? lineAt(source, one.index) : 1} ${one?.[0] ?? 'exports nothing'}`,
      )
    }),
  planted: [
    { 'families/things/routes.ts': 'export function thingRoutes() {}\nexport const more = 1' },
    { 'families/things/parts/routes.ts': 'export const most = 1' },
    { 'families/things/routes.ts': 'const routes = {}' },
  ],
}

const transactions: Rule = {
  promise: 'a routes.ts has no part in a transaction: requests that write are carried out in work.ts',
  check: (sources) =>
    named(sources, 'routes.ts').flatMap((source) =>
      [...source.bare.matchAll(/\b(tx|transact|Transaction)\b/g)].map(
        ({ index, 0: text }) => `${source.path}:${lineAt(source, index)} ${text}`,
      ),
    ),
  planted: [
    { 'families/things/routes.ts': 'const remove = () => db.transact(work)' },
    { 'families/things/routes.ts': 'const create = () => adding(platform, things, scope, (tx) => insert(tx))' },
  ],
}

/** The most lines of a handler. */
const handlerLines = 15

/** Finds the lines at which handlers begin, and counts those of each: they stand at the depth of what a function returns. */
function handlersIn({ bare }: Source): { readonly line: number; readonly lines: number }[] {
  const lines = bare.split('\n')
  const depth = (line: string) => line.search(/\S/)
  return lines.flatMap((text, at) => {
    if (depth(text) !== 4 || /^ {4}[)}\]]/.test(text)) return []
    const rest = lines.slice(at + 1)
    const end = rest.findIndex((next) => depth(next) !== -1 && depth(next) <= 4)
    return [{ line: at + 1, lines: /^ {4}[)}\]]/.test(rest[end] ?? '') ? end + 2 : end + 1 }]
  })
}

const handlers: Rule = {
  promise: `a handler has at most ${handlerLines} lines`,
  check: (sources) =>
    named(sources, 'routes.ts').flatMap((source) =>
      handlersIn(source)
        .filter(({ lines }) => lines > handlerLines)
        .map(({ line, lines }) => `${source.path}:${line} ${lines} lines`),
    ),
  planted: [
    {
      'families/things/routes.ts': `export function thingRoutes() {\n  return {\n    async list() {\n${'      a()\n'.repeat(handlerLines)}    },\n  }\n}`,
    },
  ],
}

const interfaces: Rule = {
  promise: 'reads.ts and effects.ts only hand on what stands elsewhere in the family',
  check: (sources) =>
    named(sources, 'reads.ts', 'effects.ts').flatMap((source) => {
      const rest = source.code.replaceAll(/^export (?:type )?\{[^}]*\} from '\.\/[^']*'$/gm, '').trim()
      return rest === '' ? [] : [`${source.path} has ${rest.split('\n')[0]}`]
    }),
  planted: [
    { 'families/things/reads.ts': "import { things } from './store.ts'\nexport const { byIds } = things" },
    { 'families/things/effects.ts': "export { a } from './work.ts'\nexport async function b() {}" },
    { 'families/things/effects.ts': "export { a } from '../others/effects.ts'" },
  ],
}

/** The files of a family and of its sub-folders. Whatever else it has is a pure module (see `pureModules`). */
const parts = [
  ['contract', 'domain', 'tables', 'store', 'host', 'view'],
  ['routes', 'work', 'actions', 'jobs', 'driver', 'desired'],
  ['reads', 'effects', 'attachment', 'attachments'],
  ['changes', 'settings', 'prices', 'states', 'gauges', 'mail', 'family'],
]
export const partNames: ReadonlySet<string> = new Set(parts.flat().map((part) => `${part}.ts`))

/** Those that are neither, with what they are. */
const others: Readonly<Record<string, string>> = {
  'families/certificates/parser.ts': 'reads certificates on a side thread',
  'families/certificates/parser-thread.ts': 'the program of that thread',
  'families/load-balancers/observe.ts': 'asks the data plane what it sees, for those who read',
}

/** Tells whether a file of a family must be pure: its domain is, and whatever has a name that no part has. */
export const isPureModule = ({ path }: Pick<Source, 'path'>) =>
  familyOf(path) !== undefined &&
  (nameOf(path) === 'domain.ts' || !(partNames.has(nameOf(path)) || Object.hasOwn(others, path)))

const listed: Rule = {
  promise: 'what a family has beside its parts and pure modules is listed with its reason, and is there',
  check: (sources) => {
    const there = new Set(sources.map(({ path }) => path))
    return Object.keys(others).filter((path) => there.has('families/certificates/family.ts') && !there.has(path))
  },
  planted: [{ 'families/certificates/family.ts': '' }],
}

export const familyRules: readonly Rule[] = [routes, transactions, handlers, interfaces, listed]
