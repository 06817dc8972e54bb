/**
 * The rules of the house, held by reading the tree (ARCHITECTURE.md: rules of dependence). Each rule comes with a planted
 * violation, so that it is known to be able to fail.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { schemaTables } from './schema.ts'
import { type Import, lineAt, readSources, type Source, toSource } from './source.ts'

interface Rule {
  readonly promise: string
  /** What breaks the rule, one line each. */
  check(sources: readonly Source[]): string[]
  /** Trees that break it, by path below src; each must be found out. */
  readonly planted: readonly Readonly<Record<string, string>>[]
}

const inFolder = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)
const familyOf = (path: string) => /^families\/([^/]+)\//.exec(path)?.[1]
const nameOf = (path: string) => path.split('/').at(-1)!

/** A violation for each import that is wrong. */
function checkImports(judge: (source: Source, one: Import) => boolean): Rule['check'] {
  return (sources) =>
    sources.flatMap((source) =>
      source.imports.filter((one) => !judge(source, one)).map((one) => `${source.path} imports ${one.specifier}`),
    )
}

/** A violation for each match in the code outside strings, unless `allowed` says that it may be there. */
function checkMatches(pattern: RegExp, allowed: (source: Source, match: RegExpExecArray) => boolean): Rule['check'] {
  return (sources) =>
    sources.flatMap((source) =>
      [...source.bare.matchAll(pattern)]
        .filter((match) => !allowed(source, match))
        .map((match) => `${source.path}:${lineAt(source, match.index)} ${match[0].trim()}`),
    )
}

const nowhere = () => false

// ---- Who may import whom -------------------------------------------------------------------------------------------

/** What each part may import besides itself. A part that is not here may not be in src. */
const layers: Readonly<Record<string, readonly string[]>> = {
  net: [],
  kernel: ['net'],
  catalogue: ['kernel'],
  'platform.ts': ['net', 'kernel', 'catalogue'],
  families: ['net', 'kernel', 'catalogue', 'platform.ts'],
  metadata: ['net', 'kernel', 'catalogue', 'families'],
  console: ['net', 'kernel', 'families'],
  dns: ['net', 'kernel', 'families'],
  lab: ['net', 'kernel', 'families', 'platform.ts'],
  drivers: [
    'net',
    'families',
    'families.ts',
    'kernel/actions/define.ts',
    'kernel/process/clock.ts',
    'lab/driver.ts',
    'metadata/driver.ts',
  ],
  migrations: ['kernel'],
  'families.ts': ['families', 'drivers/simulated', 'kernel', 'platform.ts'],
  pages: ['calendar.ts', 'net', 'kernel', 'lab', 'families.ts', 'version.ts'],
  'app.ts': [
    'catalogue',
    'console',
    'dns',
    'drivers/authorities.ts',
    'families.ts',
    'kernel',
    'lab',
    'metadata',
    'net',
    'pages',
    'platform.ts',
    'public-families.ts',
  ],
  'config-dns.ts': ['net', 'kernel', 'families', 'dns/response-rate.ts'],
  'config.ts': ['config-dns.ts', 'net', 'kernel', 'families', 'families.ts'],
  'version.ts': [],
  'public-families.ts': ['kernel'],
  'calendar.ts': ['families', 'families.ts', 'kernel', 'metadata', 'public-families.ts'],
  commands: [
    'app.ts',
    'catalogue',
    'config-dns.ts',
    'config.ts',
    'drivers',
    'families',
    'families.ts',
    'kernel',
    'migrations',
    'net',
    'version.ts',
  ],
  'main.ts': ['commands', 'version.ts'],
  'bin.ts': ['main.ts'],
}

const partOf = (path: string) => path.split('/')[0]!

const layering: Rule = {
  promise: 'each part imports only parts below it; the kernel imports nothing but itself and protocols',
  check: checkImports(({ path }, { file }) => {
    if (file === undefined) return true
    return [partOf(path), ...(layers[partOf(path)] ?? [])].some((allowed) => inFolder(file, allowed))
  }),
  planted: [
    { 'kernel/a.ts': "import { getServer } from '../families/servers/store.ts'" },
    { 'kernel/a.ts': "const { b } = await import('../commands/serve.ts')" },
    { 'families/servers/a.ts': "import type { Simulation } from '../../drivers/simulated/simulation.ts'" },
    { 'platform.ts': "import type { ZoneSettings } from './families/zones/settings.ts'" },
    { 'elsewhere/a.ts': "export { b } from '../kernel/b.ts'" },
  ],
}

/** The files of each circle: all that reach each other, types included, by Tarjan's algorithm. */
function circlesAmong(sources: readonly Source[]): string[][] {
  const imports = new Map(sources.map(({ path, imports }) => [path, imports.flatMap(({ file }) => file ?? [])]))
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []
  const visit = (path: string) => {
    const index = order.size
    order.set(path, index)
    lowest.set(path, index)
    open.push(path)
    for (const next of imports.get(path) ?? []) {
      if (!order.has(next)) visit(next)
      if (open.includes(next)) lowest.set(path, Math.min(lowest.get(path)!, lowest.get(next)!))
    }
    if (lowest.get(path) !== index) return
    const circle = open.splice(open.indexOf(path))
    if (circle.length > 1 || imports.get(path)?.includes(path)) circles.push(circle)
  }
  for (const { path } of sources) if (!order.has(path)) visit(path)
  return circles
}

const circles: Rule = {
  promise: 'no file imports itself through others, not even for a type',
  check: (sources) => circlesAmong(sources).map((circle) => circle.join(' <-> ')),
  planted: [
    { 'kernel/a.ts': "import { b } from './b.ts'", 'kernel/b.ts': "import type { A } from './a.ts'" },
    {
      'kernel/a.ts': "import { b } from './b.ts'",
      'kernel/b.ts': "export { c } from './c.ts'",
      'kernel/c.ts': "const { a } = await import('./a.ts')",
    },
  ],
}

const drivers: Rule = {
  promise: 'drivers know of a family only the types of its driver.ts',
  check: checkImports(
    ({ path }, { file, isTypeOnly }) =>
      !inFolder(path, 'drivers') || !file || !familyOf(file) || (nameOf(file) === 'driver.ts' && isTypeOnly),
  ),
  planted: [
    { 'drivers/linux/a.ts': "import { toFilter } from '../../families/firewalls/driver.ts'" },
    { 'drivers/linux/a.ts': "import type { Rule } from '../../families/firewalls/domain.ts'" },
  ],
}

const betweenFamilies: Rule = {
  promise:
    'families know of each other only reads, effects, contracts, drivers, attachments, and what all addresses share',
  check: checkImports(({ path }, { file }) => {
    if (!file || !familyOf(path) || !familyOf(file) || familyOf(path) === familyOf(file)) return true
    if (familyOf(file) === 'addresses') return true
    return ['reads.ts', 'effects.ts', 'contract.ts', 'driver.ts', 'attachment.ts'].includes(nameOf(file))
  }),
  planted: [{ 'families/firewalls/a.ts': "import { getServer } from '../servers/store.ts'" }],
}

/** Modules that a pure module may be made of: none of them reaches out of the process. */
const purePackages = ['node:buffer', 'node:crypto', 'node:net', 'node:url', 'ipaddr.js', 'tldts-icann']
const impureFiles = ['tables.ts', 'contract.ts', 'store.ts', 'view.ts', 'routes.ts', 'actions.ts', 'db.ts']

/** What a file is made of at run time, through all that it imports. */
function madeOf(path: string, sources: readonly Source[], seen = new Set<string>()): Set<string> {
  for (const { file, specifier, isTypeOnly } of sources.find((source) => source.path === path)?.imports ?? []) {
    const next = file ?? specifier
    if (isTypeOnly || seen.has(next)) continue
    seen.add(next)
    if (file) madeOf(file, sources, seen)
  }
  return seen
}

const isDomain = ({ path }: Source) => familyOf(path) !== undefined && nameOf(path) === 'domain.ts'
const effects = /\b(async|await|Promise|process|fetch|setTimeout|setInterval|performance|Date\.now|Math\.random)\b/g

const pureDomains: Rule = {
  promise: 'a domain.ts is pure: no I/O, no time, no chance, nothing of the wire or of rows',
  check: (sources) => {
    const domains = sources.filter(isDomain)
    const made = domains.flatMap(({ path }) =>
      [...madeOf(path, sources)]
        .filter((one) => (one.endsWith('.ts') ? impureFiles.includes(nameOf(one)) : !purePackages.includes(one)))
        .map((one) => `${path} is made of ${one}`),
    )
    const named = checkImports((_, { file }) => !file || !impureFiles.includes(nameOf(file)))(domains)
    return [...made, ...named, ...checkMatches(effects, nowhere)(domains)]
  },
  planted: [
    { 'families/firewalls/domain.ts': "import type { FirewallRow } from './tables.ts'" },
    { 'families/firewalls/domain.ts': "import { readFileSync } from 'node:fs'" },
    { 'families/firewalls/domain.ts': "import { a } from '../../kernel/a.ts'", 'kernel/a.ts': "import 'pg'" },
    { 'families/firewalls/domain.ts': 'export const now = () => Date.now()' },
  ],
}

const packages: Rule = {
  promise: 'only the edge knows the HTTP framework, only kernel/data knows database drivers',
  check: checkImports(({ path }, { specifier }) => {
    if (specifier === 'fastify' || specifier.startsWith('@fastify/'))
      return /^kernel\/http\/(http|edge)\.ts$/.test(path)
    if (/^(node:sqlite|pg|pg-.*)$/.test(specifier)) return /^kernel\/(data\/\w+|process\/process-lock)\.ts$/.test(path)
    return true
  }),
  planted: [
    { 'families/servers/routes.ts': "import type { FastifyRequest } from 'fastify'" },
    { 'kernel/resource/listing.ts': "const pg = await import('pg')" },
  ],
}

const engineNames: Rule = {
  promise: 'only the dialect, and what opens the database, asks which engine it is',
  check: (sources) =>
    sources
      .filter(({ path }) => !path.startsWith('kernel/data/'))
      .flatMap((source) =>
        [...source.code.matchAll(/[!=]==?\s*'(sqlite|postgres)'|'(sqlite|postgres)'\s*[!=]==?/g)].map(
          (match) => `${source.path}:${lineAt(source, match.index)} ${match[0]}`,
        ),
      ),
  planted: [{ 'app.ts': "if (url.engine === 'sqlite') open()" }],
}

/** The Project's scope is made where tokens are; others use it. */
const scopes: Rule = {
  promise: 'families learn of Projects only through their scope',
  check: checkImports(
    ({ path }, { file, names }) =>
      !familyOf(path) || !file || !inFolder(file, 'kernel/access') || names.every((name) => name === 'lockProject'),
  ),
  planted: [{ 'families/servers/a.ts': "import { listProjects } from '../../kernel/access/projects.ts'" }],
}

// ---- SQL -----------------------------------------------------------------------------------------------------------

const migrationTables = (sources: readonly Source[]) => {
  const texts = sources.filter(({ path }) => inFolder(path, 'migrations')).map(({ code }) => code)
  const statements = texts.flatMap((code) =>
    [...code.matchAll(/`((?:create|drop) table [^`]*)`/g)].map((match) => match[1]!),
  )
  return schemaTables(statements)
}

/** The folder (a family, a part of the kernel) or the kernel's file that declares a table's rows. */
function ownersOf(sources: readonly Source[]): Map<string, string> {
  const owners = new Map<string, string>()
  for (const { path, bare } of sources) {
    const folder = path.slice(0, path.lastIndexOf('/'))
    for (const [, body = ''] of bare.matchAll(/interface (?:Tenant)?Tables \{([^}]*)\}/g)) {
      for (const [, table = ''] of body.matchAll(/(\w+): \w+/g)) owners.set(table, folder === 'kernel' ? path : folder)
    }
  }
  return owners
}

/** A place where SQL names a table. */
interface Naming {
  readonly table: string
  readonly verb: string
  readonly position: number
}

const builderCalls =
  /\b(selectFrom|updateTable|insertInto|deleteFrom|innerJoin|leftJoin|rightJoin|fullJoin|table:)\(?\s*'(\w+)[' ]/g
const tableLists = /\bof \[([^\]]*)\] as const\)[^}]*\b(selectFrom|updateTable|insertInto|deleteFrom)\(/g
const templates = /\bsql(?:\.raw)?(?:<[^`]*>)?\(?`([^`]*)`/g

/** Every place in a source where SQL names a table, whether through the builder or in a template. */
function namings({ code }: Source): Naming[] {
  const built = [...code.matchAll(builderCalls)].map((match) => ({
    table: match[2]!,
    verb: match[1]!,
    position: match.index,
  }))
  const listed = [...code.matchAll(tableLists)].flatMap((match) =>
    [...match[1]!.matchAll(/'(\w+)'/g)].map(([, table = '']) => ({
      table,
      verb: match[2]!,
      position: match.index + match[0].lastIndexOf(match[2]!),
    })),
  )
  const written = [...code.matchAll(templates)].flatMap((match) =>
    [...match[1]!.matchAll(/\b(from|join|update|into)\s+(\w+)/g)].map((found) => ({
      table: found[2]!,
      verb: 'sql',
      position: match.index + match[0].indexOf(match[1]!) + found.index,
    })),
  )
  return [...built, ...listed, ...written]
}

const schema = 'export const a = { statements: [`create table thing (id integer primary key, project_id integer)`] }'
const thing = {
  'migrations/0001-a.ts': schema,
  'families/things/tables.ts': 'interface Tables {\n  thing: ThingRow\n}',
}

const ownTables: Rule = {
  promise: 'a table is named in SQL only by the family, or the part of the kernel, that declares it',
  check: (sources) => {
    const owners = ownersOf(sources)
    const orphans = migrationTables(sources).filter(({ name }) => !owners.has(name))
    const strange = sources
      .filter(({ path }) => !inFolder(path, 'migrations'))
      .flatMap((source) =>
        namings(source)
          .filter(({ table }) => owners.has(table) && !inFolder(source.path, owners.get(table)!))
          .map(({ table, position }) => `${source.path}:${lineAt(source, position)} names the table ${table}`),
      )
    return [...orphans.map(({ name }) => `nobody declares the rows of ${name}`), ...strange]
  },
  planted: [
    { ...thing, 'families/others/store.ts': "acrossProjects(query).selectFrom('thing').selectAll()" },
    { ...thing, 'families/others/store.ts': "acrossProjects(query).selectFrom('thing as t').selectAll()" },
    { ...thing, 'families/others/store.ts': 'sql`select * from thing where id = 1`' },
    {
      ...thing,
      'kernel/a.ts': "for (const table of ['thing'] as const) {\n  acrossProjects(tx.query).deleteFrom(table)",
    },
    { 'migrations/0001-a.ts': schema },
  ],
}

/** Families keep their statements in stores, and those without a Project in a host.ts. */
const isHost = ({ path }: { readonly path: string }) => familyOf(path) !== undefined && nameOf(path) === 'host.ts'
const isStore = ({ path }: { readonly path: string }) => isHost({ path }) || /(^|-)store\.ts$/.test(nameOf(path))

const statementsOutsideStores = checkMatches(/\b(selectFrom|updateTable|insertInto|deleteFrom)\(|\bsql[<`]/g, isStore)

const stores: Rule = {
  promise: 'what is not the kernel has its statements in stores',
  check: (sources) => {
    const others = sources.filter(({ path }) => !inFolder(path, 'kernel') && !inFolder(path, 'migrations'))
    return statementsOutsideStores(others)
  },
  planted: [
    { 'families/things/routes.ts': "acrossProjects(query).selectFrom('thing')" },
    { 'families/things/actions.ts': 'sql`select 1`' },
    { 'dns/a.ts': 'sql<Row>`select 1`' },
  ],
}

const hosts: Rule = {
  promise: 'no family imports what reads without a Project, but for its own jobs, nor hands it on to others',
  check: checkImports(
    ({ path }, { file }) =>
      !familyOf(path) ||
      !file ||
      !isHost({ path: file }) ||
      (familyOf(path) === familyOf(file) && !/^(reads|effects|routes|view|actions)\.ts$/.test(nameOf(path))),
  ),
  planted: [
    { 'families/things/reads.ts': "export { thingById } from './host.ts'" },
    { 'families/others/routes.ts': "import { thingById } from '../things/host.ts'" },
  ],
}

/**
 * What serves all Projects alike: tokens, from which scopes come; workers, which go by action and fence; the pool that
 * everybody's addresses come from; the key under which all their keys lie; who sends mail, which goes by its id and fence.
 */
const forAllProjects = [
  'kernel/access',
  'kernel/actions/claims.ts',
  'kernel/actions/expiry.ts',
  'families/addresses/store.ts',
  'kernel/mail/deliveries.ts',
  'kernel/secrets/installation.ts',
]

/** A statement, from where it names its table to where it is executed, the next one begins or its function ends. */
function statementAt({ code }: Source, position: number): string {
  const rest = code.slice(position + 1)
  const end = rest.search(/\.execute|\b(selectFrom|updateTable|deleteFrom)\(|\.execute\(|\n\}/)
  return code.slice(position, position + 1 + (end === -1 ? rest.length : end))
}

/** Tables that `Queries` does not know, so that a statement on them does not compile without a scope. */
const scopedTables = (sources: readonly Source[]) =>
  new Set(
    sources.flatMap(({ bare }) =>
      [...bare.matchAll(/interface TenantTables \{([^}]*)\}/g)].flatMap(([, body = '']) =>
        [...body.matchAll(/(\w+): \w+/g)].map(([, table]) => table),
      ),
    ),
  )

const tenantStatements: Rule = {
  promise: 'every statement on what belongs to a Project names the Project',
  check: (sources) => {
    const scoped = scopedTables(sources)
    const tenant = new Set(
      migrationTables(sources)
        .filter(({ columns }) => columns.includes('project_id'))
        .map(({ name }) => name),
    )
    return sources
      .filter((source) => !isHost(source) && !inFolder(source.path, 'migrations'))
      .filter(({ path }) => !forAllProjects.some((part) => inFolder(path, part)))
      .flatMap((source) =>
        namings(source)
          .filter(({ table, verb }) => tenant.has(table) && /^(selectFrom|updateTable|deleteFrom|sql)$/.test(verb))
          .filter(({ table, verb }) => verb === 'sql' || !scoped.has(table))
          .filter(({ position }) => !/project_id|projectId/.test(statementAt(source, position)))
          .map(({ table, position }) => `${source.path}:${lineAt(source, position)} ${table} without its Project`),
      )
  },
  planted: [
    {
      ...thing,
      'families/things/store.ts': "acrossProjects(query).selectFrom('thing').where('id', '=', id).execute()",
    },
    { ...thing, 'families/things/store.ts': 'sql`update thing set id = 1 where id = 2`.execute(query)' },
    {
      ...thing,
      'families/things/store.ts':
        "acrossProjects(tx.query).deleteFrom('thing').where('id', 'in', acrossProjects(tx.query).selectFrom('thing').where('project_id', '=', p)).execute()",
    },
  ],
}

const acrossProjects: Rule = {
  promise: 'only what serves all Projects alike can name their tables without one of them',
  check: checkImports(
    ({ path }, { names }) =>
      !names.includes('acrossProjects') ||
      isHost({ path }) ||
      inFolder(path, 'kernel') ||
      forAllProjects.includes(path),
  ),
  planted: [{ 'families/things/store.ts': "import { acrossProjects } from '../../kernel/data/scoped.ts'" }],
}

// ---- Style that can be checked -------------------------------------------------------------------------------------

const forms: Rule = {
  promise: 'no default exports, no barrels, no enums, no namespaces, no decorators',
  check: (sources) => [
    ...checkMatches(/^export (default\b|\* )|^(export )?(const )?(enum|namespace) \w+|^\s*@\w+.*$/gm, nowhere)(sources),
    ...sources.flatMap(({ path }) =>
      nameOf(path) === 'index.ts' && path !== 'migrations/index.ts' ? [`${path} is a barrel`] : [],
    ),
  ],
  planted: [
    { 'a.ts': 'export default 1' },
    { 'a.ts': "export * from './b.ts'" },
    { 'a.ts': 'export const enum A { B }' },
    { 'a.ts': 'namespace A {}' },
    { 'a.ts': 'class A {\n  @field b = 1\n}' },
    { 'families/index.ts': "export { a } from './a.ts'" },
  ],
}

const environment: Rule = {
  promise: 'only config.ts knows the environment; nothing ends the process but one place that says why',
  check: (sources) => {
    const exits = checkMatches(/\bprocess\s*\.\s*exit\b/g, ({ text }, { index }) => {
      const before = text.slice(0, index).split('\n').slice(-2, -1)[0] ?? ''
      return /^\s*\/\//.test(before)
    })(sources)
    const all = checkMatches(/\bprocess\s*\.\s*exit\b/g, nowhere)(sources)
    return [
      ...checkMatches(/\bprocess\s*\.\s*env\b/g, ({ path }) => path === 'config.ts')(sources),
      ...exits,
      ...all.slice(1),
    ]
  },
  planted: [
    { 'app.ts': 'const { HOME } = process.env' },
    { 'commands/a.ts': 'process.exit(1)' },
    { 'commands/a.ts': '// Why.\nprocess.exit(1)\n// Why.\nprocess.exit(2)' },
  ],
}

const maxLines = 400
/** Modules that are still too long, with what they may have until they are split. May only shrink. */
const tooLong: Readonly<Record<string, number>> = {}

const sizes: Rule = {
  promise: `no module is longer than ${maxLines} lines`,
  check: (sources) =>
    sources
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
      .filter(({ path, lines }) => lines > (tooLong[path] ?? maxLines))
      .map(({ path, lines }) => `${path} has ${lines} lines`),
  planted: [{ 'a.ts': 'const a = 1\n'.repeat(maxLines + 1) }],
}

const debts: Rule = {
  promise: 'what is still to do says of what kind it is',
  check: (sources) =>
    sources.flatMap((source) =>
      [...source.text.matchAll(/\b(TODO|FIXME|XXX|HACK)\b(?!\((security|robustness|correctness|scale)\): \S)/g)].map(
        (match) => `${source.path}:${lineAt(source, match.index)} ${match[0]}`,
      ),
    ),
  planted: [{ 'a.ts': '// TODO: later' }, { 'a.ts': '// FIXME' }],
}

const openings: Rule = {
  promise: 'a module of more than 15 lines opens with what it promises',
  check: (sources) =>
    sources
      .filter(({ text }) => text.trimEnd().split('\n').length > 15 && !/^(#!.*\n)?\/\*\*/.test(text))
      .map(({ path }) => path),
  planted: [{ 'a.ts': 'const a = 1\n'.repeat(16) }],
}

/** Lines that a function may have and still say by its name and types all that there is to say. */
const plainLines = 12

const docs: Rule = {
  promise: `an exported function of more than ${plainLines} lines in the kernel or a family says what it does`,
  check: (sources) =>
    sources
      .filter(({ path }) => inFolder(path, 'kernel') || inFolder(path, 'families'))
      .flatMap((source) =>
        [...source.text.matchAll(/(\*\/\n)?^export (?:async )?function\*? (\w+)[\s\S]*?^\}/gm)]
          .filter(([text, doc]) => doc === undefined && text.split('\n').length > plainLines)
          .map(({ index, 2: name }) => `${source.path}:${lineAt(source, index)} ${name}`),
      ),
  planted: [{ 'kernel/a.ts': `export function a() {\n${'  b()\n'.repeat(plainLines)}}` }],
}

// ---- The tests -----------------------------------------------------------------------------------------------------

const rules = [
  layering,
  circles,
  drivers,
  betweenFamilies,
  pureDomains,
  packages,
  engineNames,
  scopes,
  ownTables,
  stores,
  hosts,
  tenantStatements,
  acrossProjects,
  forms,
  environment,
  sizes,
  debts,
  openings,
  docs,
]

describe('the tree', () => {
  const sources = readSources()

  for (const { promise, check } of rules) {
    test(promise, () => assert.deepEqual(check(sources), []))
  }

  test('is read as it is: its imports are files that there are', () => {
    assert.ok(sources.length > 50)
    const paths = new Set(sources.map(({ path }) => path))
    const imports = sources.flatMap((source) => source.imports)
    assert.ok(imports.length > 300)
    for (const { file } of imports) assert.ok(file === undefined || paths.has(file), file)
  })

  test('has no module in the list of those that are too long which no longer is', () => {
    for (const path of Object.keys(tooLong)) {
      const lines =
        sources
          .find((source) => source.path === path)
          ?.text.trimEnd()
          .split('\n').length ?? 0
      assert.ok(lines > maxLines, path)
    }
  })

  test('has its tables found: each is named by some statement', () => {
    // The statements that all kinds of resources share find the table of each in its spelling.
    const spelled = sources.flatMap(({ code }) =>
      [...code.matchAll(/\btype: '(\w+)',\s*path: '/g)].map(([, type]) => type!),
    )
    const named = new Set([...sources.flatMap((source) => namings(source).map(({ table }) => table)), ...spelled])
    for (const { name, columns } of schemaTables()) {
      assert.ok(named.has(name), name)
      assert.ok(columns.length > 1, name)
    }
  })
})

describe('every rule can fail', () => {
  for (const { promise, check, planted } of rules) {
    test(promise, () => {
      for (const tree of planted) {
        const sources = Object.entries(tree).map(([path, text]) => toSource(path, text))
        assert.notDeepEqual(check(sources), [], JSON.stringify(tree))
      }
    })
  }
})

describe('the scanner', () => {
  test('takes no comment and no string for code', () => {
    const lines = ["// import { a } from '../b.ts'", 'const c = `x $(d({ e: `f` })) g`', "const h = /['`]/.test('i')"]
    const text = lines.join('\n').replace('$(', '${').replace('})) g', '})} g')
    const { bare, imports } = toSource('kernel/a.ts', text)
    assert.deepEqual(imports, [])
    const expected = ['', 'const c = `  $(d({ e: ` ` }))  `', "const h = /    /.test(' ')"].join('\n')
    assert.equal(bare.trimStart(), expected.replace('$(', '${').replace('}))  `', '})}  `').trimStart())
  })

  test('reads every form of import', () => {
    const text = [
      "import a, { type B, c as d } from './b.ts'",
      "import type { E } from '../families/e/f.ts'",
      "import { type G, type H } from './g.ts'",
      "import 'node:fs'",
      "export { i } from './i.ts'",
      "const j = await import('./j.ts')",
    ]
    const found = toSource('kernel/k.ts', text.join('\n')).imports
    assert.deepEqual(
      found.map(({ file, specifier, isTypeOnly }) => [file ?? specifier, isTypeOnly]),
      [
        ['kernel/b.ts', false],
        ['families/e/f.ts', true],
        ['kernel/g.ts', true],
        ['kernel/i.ts', false],
        ['node:fs', false],
        ['kernel/j.ts', false],
      ],
    )
    assert.deepEqual(found[0]!.names, ['a', 'B', 'c'])
  })
})
