/**
 * A family is its folder, its slice of the console, one file under drivers/simulated, its migration and its lines in
 * families.ts: no other file names it, makes one of its spellings from another or knows where in the API it is, so that
 * none has to be edited when one comes. The tree is read, each rule comes with planted violations, and what is allowed to
 * depend on certain families is listed with the reason. planted.test.ts plants one.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { families } from '../../src/families.ts'
import { isOfTests, type Source, toSource } from './source.ts'

const types = new Map(families.map(({ spelling: { path, type } }) => [path, type]))

/** A family as its folder, its path, its type and identifiers spell it: floating-ips, floating_ips, floating_ip, floatingIp. */
interface Spelling {
  readonly folder: string
  readonly texts: readonly string[]
  /** Undefined for a single word, which identifiers have for many reasons. */
  readonly identifier: RegExp | undefined
}

const typeOf = (folder: string) => types.get(folder.replaceAll('-', '_'))!
const camelOf = (folder: string) => typeOf(folder).replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
const pascalOf = (folder: string) => camelOf(folder).replace(/^./, (letter) => letter.toUpperCase())

function spell(folder: string, folders: readonly string[]): Spelling {
  const path = folder.replaceAll('-', '_')
  const type = typeOf(folder)
  // Load Balancer types are no Load Balancers.
  const longer = folders.filter((other) => other !== folder && typeOf(other).startsWith(`${type}_`))
  const isOther =
    longer.length > 0
      ? `(?!\\w*(${longer.flatMap((other) => [camelOf(other), pascalOf(other), typeOf(other)]).join('|')}))`
      : ''
  const own = `(${camelOf(folder)}|${pascalOf(folder)}|${type})`
  return {
    folder,
    texts: [folder, path, type],
    identifier: path.includes('_') ? new RegExp(`\\b${isOther}\\w*${own}\\w*`, 'g') : undefined,
  }
}

/** Where a file names a family: imports of its files, texts that are or begin with its path or type, identifiers. */
function namings(source: Source, { folder, texts, identifier }: Spelling): string[] {
  const imports = source.imports.flatMap(({ file }) => (file?.includes(`families/${folder}/`) ? file : []))
  // A whole text, or the beginning of a path, of a key such as `servers.create` or of a name such as `server:7`.
  const text = new RegExp(`['"\`]/?(${texts.join('|')})(?=['"\`/.:?])`, 'g')
  const written = [...source.code.matchAll(text)].filter(({ index }) => /['"`]/.test(source.bare[index]!))
  const named = identifier ? [...source.bare.matchAll(identifier)] : []
  return [...imports, ...[...written, ...named].map(([found]) => found)]
}

/** Files, and folders with a slash at their end, that depend on certain families for one reason. */
interface Dependant {
  readonly paths: readonly string[]
  readonly families: readonly string[] | 'all'
  readonly why: string
}

const dependants: readonly Dependant[] = [
  {
    paths: [
      'src/dns/',
      'src/config/dns.ts',
      'src/commands/dnssec.ts',
      'src/commands/noted.ts',
      'test/dns/parents.ts',
      'test/dns/zones.ts',
      'attack/peers/',
    ],
    families: ['zones', 'floating-ips', 'load-balancers', 'primary-ips'],
    why: 'the name server serves zones, and reverse zones of the names of addresses',
  },
  {
    paths: ['src/metadata/'],
    families: ['servers', 'primary-ips', 'datacenters', 'networks'],
    why: 'what servers read of themselves',
  },
  {
    paths: ['src/screens/', 'src/drivers/simulated/screens.ts'],
    families: ['servers'],
    why: 'the screens of servers',
  },
  {
    paths: [
      'src/reconcile/',
      'src/drivers/hosts/',
      'src/host/',
      'src/drivers/infrastructure.ts',
      'src/drivers/by-location.ts',
      'src/commands/infrastructure-image.ts',
    ],
    families: [
      'firewalls',
      'floating-ips',
      'images',
      'isos',
      'load-balancers',
      'locations',
      'networks',
      'placement-groups',
      'servers',
      'ssh-keys',
      'storage-boxes',
      'volumes',
    ],
    why: 'hosts, and what else runs machines: it is chosen, told what is wanted of it, and compared with that',
  },
  {
    paths: ['src/reachability/'],
    families: ['locations', 'networks', 'servers'],
    why: 'packets go from server to server, and not each location can do everything',
  },
  {
    paths: ['src/catalogue/', 'src/lab/faults/', 'src/library/wolke.ts'],
    families: [
      'floating-ips',
      'images',
      'isos',
      'load-balancer-types',
      'load-balancers',
      'locations',
      'networks',
      'pricing',
      'primary-ips',
      'server-types',
      'storage-box-types',
    ],
    why: 'the catalogue is what those families show, or has their prices and what their locations can do; faults tell by it',
  },
  {
    paths: ['src/kernel/process/network.ts', 'src/kernel/http/admission/notes.ts', 'src/kernel/audit/view.ts'],
    families: ['networks'],
    why: 'the network that a caller is in',
  },
  {
    paths: ['src/protocols/acme/client.ts', 'test/people/kit/provider.ts', 'src/pages/console.ts', 'src/pages/icon.ts'],
    families: ['images', 'locations'],
    why: 'the HTTP header Location, and media types such as image/svg+xml',
  },
  {
    paths: ['src/management/failures.ts', 'src/management/summary.ts'],
    families: ['certificates', 'images'],
    why: 'those whose states tell of failures or of an end, and those that are in no table',
  },
  {
    paths: [
      'src/config/config.ts',
      'src/config/load-balancers.ts',
      'src/drivers/load-balancers/',
      'test/load-balancers/',
      'test/kit/samples/balancer-states.ts',
      'test/stubs/embedded-balancer.ts',
      'test/stubs/haproxy.ts',
      'test/clients/terraform/terraform.ts',
    ],
    families: ['load-balancers'],
    why: 'what carries their traffic',
  },
  {
    paths: ['src/drivers/storage/', 'test/storage-doors/'],
    families: ['storage-boxes'],
    why: 'where their files are, and the doors that lead to them',
  },
  {
    paths: [
      'src/drivers/authorities.ts',
      'src/drivers/acme/',
      'src/drivers/embedded-ca/',
      'src/drivers/resolver/',
      'test/stubs/acme-stub.ts',
      'test/kit/samples/pasted.ts',
    ],
    families: ['certificates', 'zones'],
    why: 'certificate authorities, files of their certificates, and whether zones are delegated',
  },
  {
    paths: ['test/conformance/', 'test/hosts/', 'test/kit/samples/server-states.ts'],
    families: 'all',
    why: 'what hosts do with every kind of resource, and are told of it',
  },
  {
    paths: [
      'test/console/',
      'test/clients/commands/commands.ts',
      'test/clients/commands/forms/',
      'scripts/pictures.ts',
    ],
    families: 'all',
    why: 'pages and commands show every kind of resource',
  },
  {
    paths: ['test/browser/rules.ts', 'test/browser/questions.ts'],
    families: ['firewalls', 'networks', 'server-types', 'servers'],
    why: 'the rules that browsers follow too',
  },
  {
    paths: ['test/attacks/kit/contention.ts', 'test/kit/database/covered-servers.ts', 'test/access/tokens.test.ts'],
    families: ['firewalls', 'images', 'pricing'],
    why: 'what a Project does or reads while a test looks at something else',
  },
  {
    paths: ['attack/contention.ts', 'attack/disk/', 'attack/lasting.ts'],
    families: ['firewalls', 'server-types', 'servers', 'ssh-keys', 'zones'],
    why: 'attacks on one thing that need some resource to show it on',
  },
  {
    paths: ['bench/', 'test/program/upgrades/kit/', 'test/program/processes/kit/ledger.ts'],
    families: 'all',
    why: 'each benchmark measures some kind of resource, and earlier versions wrote data of every kind',
  },
  {
    paths: ['console/pages/'],
    families: ['certificates', 'firewalls', 'locations', 'networks', 'pricing', 'server-types', 'servers'],
    why: 'pages of all of a Project: what runs, ends and costs there, who reaches whom, and which server is meant',
  },
  { paths: ['console/words/'], families: ['servers'], why: 'the list of servers is mostly the first page' },
]

/** What still names families and is to do so no longer. May only shrink. */
const debts: readonly Dependant[] = []

const isIn = (path: string, part: string) => (part.endsWith('/') ? path.startsWith(part) : path === part)

/** Files that are of the family, or of all families: its folder and those that may have a line for it. */
function isHome(path: string, folder: string): boolean {
  const lists = ['src/families.ts', `src/drivers/simulated/${folder}.ts`]
  const own = `src/drivers/simulated/${folder}/`
  return lists.includes(path) || path.startsWith(own) || /^(src|console)\/families\/|^src\/migrations\//.test(path)
}

/** Tests of one thing may show it on any resource; those that walk over all families may name none. */
const walks = ({ imports }: Source) =>
  imports.some(
    ({ file, names }) => file === 'test/kit/proofs.ts' || (file === 'test/kit/requests.ts' && names.includes('rows')),
  )

const isJudged = (source: Source) =>
  source.path.startsWith('test/')
    ? !source.path.endsWith('.test.ts') || walks(source)
    : !source.path.endsWith('.test.ts')

function violations(sources: readonly Source[], folders: readonly string[], allowed: readonly Dependant[]): string[] {
  return folders
    .map((folder) => spell(folder, folders))
    .flatMap((spelling) =>
      sources
        .filter((source) => isJudged(source) && !isHome(source.path, spelling.folder))
        .filter(
          ({ path }) =>
            !allowed.some(
              (one) =>
                one.paths.some((part) => isIn(path, part)) &&
                (one.families === 'all' || one.families.includes(spelling.folder)),
            ),
        )
        .flatMap((source) => [...new Set(namings(source, spelling))].map((found) => `${source.path} names ${found}`)),
    )
}

// ---- Between families ----------------------------------------------------------------------------------------------

const familyOf = (path: string | undefined) => /^src\/families\/([^/]+)\//.exec(path ?? '')?.[1]

/** Pairs of families that import each other, with the reason. */
const mutual: readonly (readonly [string, string, string])[] = [
  ['images', 'servers', 'a disk is written from an image, and an image is a copy of a disk'],
]

/** A family that others hang on reaches them through its attachments.ts alone; otherwise imports form no circle. */
function circles(sources: readonly Source[]): string[] {
  const edges = new Map<string, string[]>()
  for (const { path, imports } of sources) {
    const from = familyOf(path)
    if (!from || path.endsWith('/attachments.ts') || isOfTests(path)) continue
    for (const to of imports.map(({ file }) => familyOf(file))) {
      if (!to || to === from || mutual.some((pair) => pair.includes(from) && pair.includes(to))) continue
      const key = `${from} ${to}`
      edges.set(key, [...(edges.get(key) ?? []), path])
    }
  }
  return [...edges].flatMap(([key, paths]) =>
    edges.has(key.split(' ').reverse().join(' ')) ? [`${key}: ${[...new Set(paths)].join(', ')}`] : [],
  )
}

// ---- Spellings and roots -------------------------------------------------------------------------------------------

/** Where the roots of the API are written. */
const rootsFile = 'src/kernel/contract/bases.ts'

/** What is to know neither how a family is spelled nor where it is; tests of one thing speak to it as clients do. */
const knowsNoPlace = (source: Source) =>
  source.path.startsWith('test/')
    ? source.path.startsWith('test/laws/safety/') || (source.path.endsWith('.test.ts') && walks(source))
    : source.path !== rootsFile && !source.path.endsWith('.test.ts')

/** A plural made by adding an s to a word, or a word made by taking it away. Seconds are written with an s as well. */
const addedS = [
  /\$\{[^{}]*\b(family|key|kind|name|resource|table|title|type|words?)\b[^{}]*\}s\b/g,
  /\b(family|key|kind|name|resource|table|title|type|words?) \+ (['"`])s\2/g,
  /\/s\$\//g,
  /\.endsWith\((['"`])s\1\)/g,
]
const writtenRoot = [/\/v1(?![\w.])/g]

/** Where a source matches one of some patterns outside of comments. */
const found = (patterns: readonly RegExp[], { path, code }: Source) =>
  patterns.flatMap((pattern) => [...code.matchAll(pattern)].map(([text]) => `${path} has ${text}`))

const respelled = (sources: readonly Source[]) =>
  sources.filter(knowsNoPlace).flatMap((source) => found([...addedS, ...writtenRoot], source))

// ---- The tests -----------------------------------------------------------------------------------------------------

const root = join(import.meta.dirname, '../..')

function readTree(pattern = '{src,console,test,scripts,attack,bench}/**/*.{ts,tsx}'): Source[] {
  return globSync(pattern, {
    cwd: root,
    exclude: ['**/node_modules/**', 'console/generated/**', 'test/laws/planted/**'],
  })
    .filter((path) => path !== 'test/laws/families.test.ts')
    .sort()
    .map((path) => toSource(path, readFileSync(join(root, path), 'utf8')))
}

describe('a family', () => {
  const sources = readTree()
  const folders = globSync('src/families/*/tables.ts', { cwd: root })
    .concat(globSync('src/families/*/contract.ts', { cwd: root }))
    .map((path) => familyOf(path)!)
    // What all kinds of addresses share is no family.
    .filter((folder) => folder !== 'addresses')
  const all = [...new Set(folders)].sort()

  test('is named by no file but its own and those that are there for it', () => {
    assert.ok(all.length > 10)
    assert.deepEqual(violations(sources, all, [...dependants, ...debts]), [])
  })

  test('is depended on by every file that says so, for few reasons', () => {
    assert.ok(dependants.length + debts.length <= 20)
    for (const one of [...dependants, ...debts]) {
      const names = (path: string, family: string) =>
        sources.some((source) => isIn(source.path, path) && namings(source, spell(family, all)).length > 0)
      const named = (family: string) => one.paths.some((path) => names(path, family))
      const those = one.families === 'all' ? all : one.families
      for (const path of one.paths)
        assert.ok(
          those.some((family) => names(path, family)),
          `${path} names none any more`,
        )
      if (one.families === 'all') assert.ok(all.filter(named).length > all.length / 2, `${one.why}: few families`)
      else for (const family of one.families) assert.ok(named(family), `${one.paths} name no ${family} any more`)
    }
  })

  test('is spelled as it says itself, and below the root that it says', () => {
    const everything = readTree('{src,console,attack,bench,scripts,test}/**/*.{ts,tsx,js,mjs}')
    assert.ok(everything.length > sources.length)
    assert.deepEqual(respelled(everything), [])
  })

  test('imports none that imports it, but from its attachments.ts', () => {
    assert.deepEqual(circles(sources), [])
  })
})

describe('every rule can fail', () => {
  const tree = (files: Readonly<Record<string, string>>) =>
    Object.entries(files).map(([path, text]) => toSource(path, text))

  test('a family is named', () => {
    const planted = {
      'src/kernel/a.ts': "import { routes } from '../families/floating-ips/routes.ts'",
      'src/kernel/b.ts': "const limits = { of: ['floating_ips'] }",
      'src/pages/c.ts': "const type = 'floating_ip'",
      'src/protocols/net/d.ts': 'const owner = `floating_ip:`',
      'src/commands/e.ts': "await get('/floating_ips/7')",
      'src/app.ts': 'const floatingIps = 7',
      'src/platform.ts': 'interface FloatingIpSettings {}',
      'src/drivers/simulated/servers.ts': 'const floatingIp = 7',
      'test/kit/harness.ts': "import { a } from '../../src/families/floating-ips/proof.ts'",
      'test/a.test.ts': "import { proofs } from './kit/proofs.ts'\nproofs.get('floating_ips')",
      'test/walks/spec/a.ts': "const at = 'floating_ips.create'",
    }
    for (const [path, text] of Object.entries(planted)) {
      assert.equal(violations(tree({ [path]: text }), ['floating-ips'], []).length, 1, path)
    }
  })

  test('but words that mean something else, comments, its own files and tests that show something on it do not count', () => {
    const fine = {
      'src/kernel/a.ts': "/** As 'servers' do. */ const servers = process.argv; log('no servers here')",
      'src/families.ts': "import { servers } from './families/servers/family.ts'",
      'src/drivers/simulated/servers.ts': "const driver = 'servers'",
      'test/http/edge.test.ts': "await api.get('/servers')",
    }
    assert.deepEqual(violations(tree(fine), ['servers'], []), [])
  })

  test('a family is spelled from another of its spellings, or is looked for below a root', () => {
    const planted = [
      `const family = \`\${type}s\``,
      `const family = \`\${resource.type}s\``,
      `const summary = \`List \${title}s\``,
      "const family = type + 's'",
      'const path = key.endsWith("s") ? key : other',
      "const type = family.replace(/s$/, '')",
      "const path = '/v1/servers'",
      "const path = '/wolke/v1'",
      `const url = \`\${origin}/v1\``,
      'const family = /^\\/v1\\/(\\w+)/.exec(path)',
    ]
    const places = [
      'src/kernel/a.ts',
      'console/a.tsx',
      'attack/a.ts',
      'bench/a.ts',
      'scripts/a.ts',
      'test/laws/safety/a.ts',
    ]
    for (const path of places)
      for (const text of planted) assert.equal(respelled(tree({ [path]: text })).length, 1, `${path}: ${text}`)
    const fine = [
      `const flags = \`--duration \${seconds}s\``,
      "const note = 'openssh-key-v1'; const level = 'TLSv1.2'",
      `/** Below \`/v1\`, and its \`\${type}s\`. */`,
      "const first = 'key-1=v1'",
    ]
    assert.deepEqual(respelled(tree(Object.fromEntries(fine.map((text, i) => [`src/${i}.ts`, text])))), [])
    assert.deepEqual(respelled(tree({ 'test/http/edge.test.ts': "await get('/v1/servers')" })), [])
  })

  test('two families import each other', () => {
    const there = { 'src/families/b/c.ts': "import type { A } from '../a/reads.ts'" }
    const back = "import { b } from '../b/effects.ts'"
    assert.equal(circles(tree({ ...there, 'src/families/a/routes.ts': back })).length, 2)
    assert.deepEqual(circles(tree({ ...there, 'src/families/a/attachments.ts': back })), [])
  })
})
