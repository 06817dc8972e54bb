/** Who may import whom. */
import { lineAt, type Source } from '../source.ts'
import { isPureModule } from './families.ts'
import { checkImports, checkMatches, familyOf, inFolder, nameOf, nowhere, type Rule } from './rules.ts'

/** What each part may import besides itself. A part that is not here may not be in src. */
const layers: Readonly<Record<string, readonly string[]>> = {
  protocols: [],
  look: [],
  kernel: ['protocols'],
  catalogue: ['protocols', 'kernel'],
  'platform.ts': ['protocols', 'kernel', 'catalogue'],
  families: ['protocols', 'kernel', 'catalogue', 'platform.ts'],
  metadata: ['protocols', 'kernel', 'catalogue', 'families'],
  screens: ['protocols', 'kernel', 'families'],
  dns: ['protocols', 'kernel', 'families'],
  events: ['kernel'],
  reachability: ['catalogue/capabilities.ts', 'protocols', 'kernel', 'families', 'families.ts', 'platform.ts'],
  lab: [
    'calendar.ts',
    'families.ts',
    'kernel',
    'people',
    'platform.ts',
    'protocols',
    // The console knows which resources of Terraform stand for which requests.
    '../console/commands/terraform',
    '../console/generated/terraform.ts',
  ],
  management: [
    'doctor/diagnosis.ts',
    'protocols',
    'kernel',
    'families.ts',
    'reachability',
    'people',
    'platform.ts',
    'version.ts',
  ],
  doctor: ['protocols', 'kernel', 'families.ts', 'platform.ts', 'migrations', 'drivers/resolver'],
  drivers: [
    'catalogue/capabilities.ts',
    'protocols',
    'families',
    'families.ts',
    'kernel/actions/define.ts',
    'kernel/actions/in-time.ts',
    'kernel/process/after-reading.ts',
    'kernel/process/at-once.ts',
    'kernel/process/clock.ts',
    'kernel/process/fair-queue.ts',
    'kernel/process/file-lock.ts',
    'kernel/process/private-file.ts',
    'kernel/process/tracing.ts',
    'kernel/secrets/password-hash.ts',
    'reachability/driver.ts',
    'reconcile/inventory.ts',
    'metadata/driver.ts',
  ],
  people: ['protocols', 'kernel', 'look'],
  migrations: ['kernel'],
  'families.ts': ['families', 'drivers/simulated', 'kernel', 'platform.ts'],
  pages: [
    'calendar.ts',
    'protocols',
    'kernel',
    'lab/contract.ts',
    'lab/faults/contract.ts',
    'lab/seed/contract.ts',
    'reachability',
    'look',
    'management',
    'people',
    'families.ts',
    'version.ts',
  ],
  metrics: ['dns/message.ts', 'families.ts', 'kernel', 'people', 'platform.ts', 'protocols', 'version.ts'],
  'jobs.ts': ['families.ts', 'kernel', 'people', 'platform.ts', 'reconcile'],
  'cloud.ts': [
    'jobs.ts',
    'catalogue',
    'screens',
    'dns',
    'doctor',
    'drivers/authorities.ts',
    'families.ts',
    'kernel',
    'lab',
    'management',
    'metadata',
    'protocols',
    'own.ts',
    'pages',
    'people',
    'platform.ts',
  ],
  'address.ts': ['cloud.ts', 'dns', 'kernel', 'lab', 'protocols'],
  'app.ts': [
    'address.ts',
    'cloud.ts',
    'families.ts',
    'kernel',
    'lab',
    'own.ts',
    'pages',
    'protocols',
    'elsewhere.ts',
    'screens',
    'drivers/authorities.ts',
  ],
  'own.ts': ['events', 'kernel', 'lab', 'reachability', 'management', 'pages', 'people', 'platform.ts', 'version.ts'],
  config: [
    'dns/response-rate.ts',
    'dns/signing/allowance.ts',
    'dns/transfer-out.ts',
    'drivers/hosts/options.ts',
    'drivers/load-balancers/data-planes.ts',
    'families',
    'families.ts',
    'kernel',
    'lab/clock.ts',
    'protocols',
    'people/providers/oidc.ts',
  ],
  traces: ['config/traces.ts', 'kernel/process', 'protocols/incus/transport.ts'],
  host: ['config/config.ts', 'kernel/process/private-file.ts', 'protocols/net'],
  reconcile: ['families', 'families.ts', 'kernel'],
  proxy: ['protocols', 'kernel/errors.ts', 'kernel/process'],
  'version.ts': [],
  'elsewhere.ts': [],
  'calendar.ts': ['families', 'families.ts', 'kernel', 'metadata'],
  commands: [
    'app.ts',
    'catalogue',
    'config',
    'doctor',
    'drivers',
    'families',
    'families.ts',
    'host',
    'platform.ts',
    'reconcile',
    'kernel',
    'lab',
    'management',
    'metrics',
    'migrations',
    'protocols',
    'people',
    'proxy',
    'traces',
    'version.ts',
  ],
  library: ['calendar.ts', 'commands', 'config', 'kernel', 'lab', 'proxy', 'version.ts'],
  'other-commands.ts': ['commands', 'config', 'library/commands'],
  'main.ts': ['commands', 'other-commands.ts', 'version.ts'],
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
export function circlesAmong(sources: readonly Source[]): string[][] {
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

/** What all protocols are made of: addresses, and failures of who is spoken to. */
const sharedByProtocols = ['protocols/net', 'protocols/driver-error.ts']

const protocols: Rule = {
  promise: 'a protocol knows no family, no driver, no database and no other protocol',
  check: checkImports(({ path }, { file, specifier }) => {
    const [, own] = /^(protocols\/[^/]+)\//.exec(path) ?? []
    if (own === undefined) return true
    if (file === undefined) return !/^(node:sqlite|pg|kysely)$/.test(specifier)
    return [own, ...sharedByProtocols].some((allowed) => inFolder(file, allowed))
  }),
  planted: [
    { 'protocols/incus/a.ts': "import { isBare } from '../../families/servers/domain.ts'" },
    { 'protocols/incus/a.ts': "import type { Hosts } from '../../drivers/hosts/open.ts'" },
    { 'protocols/ovsdb/a.ts': "import type { Database } from '../../kernel/data/db.ts'" },
    { 'protocols/ovsdb/a.ts': "import { sql } from 'kysely'" },
    { 'protocols/ovsdb/a.ts': "import { Incus } from '../incus/client.ts'" },
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
const impureFiles = ['tables.ts', 'contract.ts', 'store.ts', 'view.ts', 'routes.ts', 'work.ts', 'actions.ts', 'db.ts']

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

const effects = /\b(async|await|Promise|process|fetch|setTimeout|setInterval|performance|Date\.now|Math\.random)\b/g

const pureDomains: Rule = {
  promise:
    'a domain.ts, and a file with a name that families do not have, is pure: no I/O, no time, no chance, no wire, no rows',
  check: (sources) => {
    const domains = sources.filter(isPureModule)
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
    { 'families/firewalls/creation.ts': 'export async function create() {}' },
    { 'families/firewalls/parts/glance.ts': "import { a } from '../store.ts'" },
  ],
}

const packages: Rule = {
  promise:
    'only the edge knows the HTTP framework, only kernel/data knows database drivers, only the doors of boxes know SSH',
  check: checkImports(({ path }, { specifier, isTypeOnly }) => {
    if (specifier === 'fastify' || specifier.startsWith('@fastify/'))
      return /^kernel\/http\/(\w+\/)?(caller|calls|edge|http|instance|interception|page-trees|refusals|replies|served|streams|lazy-part)\.ts$/.test(
        path,
      )
    if (specifier === 'prom-client') return inFolder(path, 'metrics')
    // What replaces a part of the library has to come before it.
    if (specifier === 'ssh2' && isTypeOnly) return inFolder(path, 'drivers/storage/doors')
    if (/^ssh2(\/|$)/.test(specifier)) return /^drivers\/storage\/doors\/ssh\/(library|quick-gcm)\.ts$/.test(path)
    if (/^(node:sqlite|pg|pg-.*)$/.test(specifier)) return /^kernel\/(data\/[\w-]+|process\/file-lock)\.ts$/.test(path)
    return true
  }),
  planted: [
    { 'families/servers/routes.ts': "import type { FastifyRequest } from 'fastify'" },
    { 'kernel/resource/listing.ts': "const pg = await import('pg')" },
    { 'drivers/hosts/a.ts': "import type { Server } from 'ssh2'" },
    { 'kernel/http/a.ts': "import { Counter } from 'prom-client'" },
    { 'drivers/storage/doors/ssh/a.ts': "import ssh2 from 'ssh2'" },
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
      !familyOf(path) ||
      !file ||
      !inFolder(file, 'kernel/access') ||
      names.every((name) => ['lockProject', 'projectName', 'Asker', 'askerOf'].includes(name)),
  ),
  planted: [{ 'families/servers/a.ts': "import { listProjects } from '../../kernel/access/projects.ts'" }],
}

export const importRules: readonly Rule[] = [
  layering,
  circles,
  drivers,
  protocols,
  betweenFamilies,
  pureDomains,
  packages,
  engineNames,
  scopes,
]
