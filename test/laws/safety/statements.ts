/** Who may say what in SQL. */
import { schemaTables } from '../../kit/database/schema.ts'
import { lineAt, type Source } from '../source.ts'
import { checkImports, checkMatches, familyOf, inFolder, nameOf, type Rule } from './rules.ts'

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
export function namings({ code }: Source): Naming[] {
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
      (familyOf(path) === familyOf(file) && !/^(reads|effects|routes|work|view|actions)\.ts$/.test(nameOf(path))),
  ),
  planted: [
    { 'families/things/reads.ts': "export { thingById } from './host.ts'" },
    { 'families/others/routes.ts': "import { thingById } from '../things/host.ts'" },
  ],
}

/**
 * What serves all Projects alike: tokens, from which scopes come; workers, which go by action and fence; the pool that
 * everybody's addresses come from; the key under which all their keys lie; who sends mail, which goes by its id and fence;
 * people, who belong to several Projects; the audit log, whose reader may ask for one Project; and who follows the
 * changes of several at once.
 */
const forAllProjects = [
  'kernel/access',
  'kernel/actions/changes.ts',
  'kernel/actions/claims.ts',
  'kernel/actions/expiry.ts',
  'kernel/actions/open.ts',
  'kernel/audit',
  'families/addresses/store.ts',
  'kernel/mail/deliveries.ts',
  'kernel/secrets/installation.ts',
  'people/memberships/invitation-store.ts',
  'people/mail/mail-store.ts',
  'people/memberships/membership-store.ts',
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

const auditLog: Rule = {
  promise: 'the audit log is only appended to, and only its expiry deletes from it',
  check: (sources) =>
    sources.flatMap((source) =>
      [...source.code.matchAll(/\bupdateTable\('audit'|\bupdate audit\b|\bdeleteFrom\('audit'|\bdelete from audit\b/g)]
        .filter(([text]) => text.startsWith('update') || source.path !== 'kernel/audit/expiry.ts')
        .map(({ index }) => `${source.path}:${lineAt(source, index)} changes the audit log`),
    ),
  planted: [
    { 'kernel/audit/expiry.ts': "acrossProjects(tx.query).updateTable('audit').set({ outcome: 'ok' })" },
    { 'kernel/access/projects.ts': "scoped(tx.query, scope).deleteFrom('audit')" },
    { 'kernel/a.ts': 'sql`delete from audit`' },
  ],
}

export const statementRules: readonly Rule[] = [ownTables, stores, hosts, tenantStatements, acrossProjects, auditLog]
