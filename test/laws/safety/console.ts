/** What holds for the console and its tests. Paths are below the root of the project here. */
import { dirname } from 'node:path'
import { lineAt, type Source } from '../source.ts'
import { checkImports, checkMatches, inFolder, nowhere, type Rule } from './rules.ts'

/** Modules of the server that browsers run, and the most bytes that each has with all that it imports, compressed. */
export const browserModules: Readonly<Record<string, number>> = {
  'src/protocols/net/decimal.ts': 1_000,
  'src/protocols/net/ip.ts': 6_000,
  'src/protocols/net/private-networks.ts': 7_000,
  'src/protocols/net/punycode.ts': 1_000,
  'src/protocols/net/hostnames.ts': 1_000,
  'src/protocols/net/dns/rdata.ts': 10_000,
  'src/protocols/net/dns/tokens.ts': 1_500,
  'src/kernel/access/roles.ts': 1_000,
  'src/kernel/process/shell-words.ts': 1_000,
  'src/kernel/contract/bases.ts': 1_000,
  'src/kernel/contract/labels.ts': 1_500,
  'src/kernel/contract/selectors.ts': 3_000,
  'src/families/certificates/domain.ts': 3_000,
  'src/families/certificates/managed/renewal.ts': 1_000,
  'src/families/firewalls/domain.ts': 7_000,
  'src/families/firewalls/decisions.ts': 8_000,
  'src/families/networks/domain.ts': 8_000,
  'src/families/placement-groups/domain.ts': 1_000,
  'src/families/servers/domain.ts': 3_000,
  'src/families/ssh-keys/public-key.ts': 1_500,
  'src/families/storage-boxes/domain.ts': 2_500,
  'src/families/storage-boxes/snapshots/domain.ts': 3_000,
  'src/families/volumes/domain.ts': 1_500,
  'src/families/zones/zonefiles/domain.ts': 13_000,
  'src/families/zones/zonefiles/preview.ts': 16_000,
  'src/version.ts': 1_000,
}

const inConsole = ({ path }: Source) => inFolder(path, 'console')
const isBuild = ({ path }: Source) => /^console\/(build|vite\.config)\.ts$/.test(path)
const ofConsole =
  (check: Rule['check']): Rule['check'] =>
  (sources) =>
    check(sources.filter(inConsole))

const shared: Rule = {
  promise: 'the console has of the server only types, and modules that are made for browsers',
  check: ofConsole(
    checkImports(
      (_, { file = '', isTypeOnly }) => !inFolder(file, 'src') || isTypeOnly || Object.hasOwn(browserModules, file),
    ),
  ),
  planted: [
    { 'console/pages/a/b.ts': "import { serverEndpoints } from '../../../src/families/servers/contract.ts'" },
    { 'console/a.ts': "const { toError } = await import('../src/kernel/errors.ts')" },
  ],
}

const senders: Rule = {
  promise: 'only console/api sends requests',
  check: ofConsole(
    checkMatches(/\b(fetch\s*\(|XMLHttpRequest|sendBeacon|EventSource|WebSocket\s*\()/g, ({ path }) =>
      inFolder(path, 'console/api'),
    ),
  ),
  planted: [
    { 'console/pages/a.tsx': "const reply = await fetch('/console/api/any')" },
    { 'console/shell/a.ts': "new EventSource('/console/api/projects/1/events')" },
  ],
}

const forms: Rule = {
  promise: 'no default exports, no barrels, no `any` in the console',
  check: ofConsole((sources) =>
    checkMatches(
      /^export (default\b|\* )|\bas any\b|: any\b|<any>/gm,
      (source, [found]) => isBuild(source) && found.startsWith('export default'),
    )(sources),
  ),
  planted: [
    { 'console/a.ts': 'export default 1' },
    { 'console/ui/a.ts': "export * from './b.ts'" },
    { 'console/ui/a.tsx': 'const a = b as any' },
  ],
}

const sleeps: Rule = {
  promise: 'tests of the console wait for what they expect, never for time',
  check: (sources) =>
    checkMatches(
      /\b(setTimeout|waitForTimeout|setInterval)\b/g,
      nowhere,
    )(sources.filter(({ path }) => inFolder(path, 'test/console'))),
  planted: [
    { 'test/console/a.test.ts': 'await page.waitForTimeout(500)' },
    { 'test/console/a.test.ts': "import { setTimeout as delay } from 'node:timers/promises'" },
  ],
}

const prices: Rule = {
  promise: 'one place of the console chooses between net and gross, and one forms amounts of money',
  check: (sources) => {
    const own = sources.filter(inConsole)
    return [
      ...checkMatches(
        /\b(gross|price_(hourly|monthly|per_\w+))\b|\.net\b/g,
        ({ path }) => path === 'console/families/pricing/lines.ts',
      )(own),
      ...checkMatches(/\bIntl\.NumberFormat\b/g, ({ path }) =>
        ['console/lib/money.ts', 'console/words/format.ts'].includes(path),
      )(own),
    ]
  },
  planted: [
    { 'console/pages/a.tsx': 'const cost = Number(at.price_monthly.gross)' },
    { 'console/pages/a.tsx': 'const cost = monthly.net' },
    { 'console/ui/a.ts': "const format = new Intl.NumberFormat('de', { style: 'currency', currency })" },
  ],
}

const words = (text: string) => new Set(text.match(/[\w$]+/g))

/** Everything that a file exports, with where. */
function exportsOf({ bare }: Source) {
  return [...bare.matchAll(/^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm)].map(
    ({ index, 1: name = '' }) => ({ index, name }),
  )
}

const exported: Rule = {
  promise: 'what a file of the console exports is used by another',
  check: (sources) => {
    const knowing = sources.flatMap(({ code, imports }) => {
      const known = words(code)
      return imports.map(({ file }) => ({ file, known }))
    })
    const users = Map.groupBy(knowing, ({ file }) => file)
    return sources
      .filter((source) => inConsole(source) && !isBuild(source))
      .flatMap((source) =>
        exportsOf(source)
          .filter(({ name }) => !users.get(source.path)?.some(({ known }) => known.has(name)))
          .map(({ index, name }) => `${source.path}:${lineAt(source, index)} ${name}`),
      )
  },
  planted: [
    { 'console/a.ts': 'export const given = 1', 'console/b.ts': "import { other } from './a.ts'" },
    { 'console/ui/a.tsx': 'export function A() {}' },
  ],
}

const classes: Rule = {
  promise: 'every class of a style is given to something',
  check: (sources) => {
    const code = sources.filter(({ path }) => /\.tsx?$/.test(path)).map((source) => source.code)
    const named = new Set(code.flatMap((text) => text.match(/[\w-]+/g) ?? []))
    // `f-${mood}` names all that begin so.
    const beginnings = new Set(code.flatMap((text) => text.match(/(?<=['"`.\s])[\w-]+(?=\$\{)/g) ?? []))
    const isGiven = (name: string) => named.has(name) || [...beginnings].some((one) => name.startsWith(one))
    return sources
      .filter(({ path }) => path.endsWith('.module.css'))
      .flatMap((source) => {
        const plain = source.text.replace(/\/\*[\s\S]*?\*\/|url\([^)]*\)|"[^"]*"/g, (part) =>
          part.replace(/[^\n]/g, ' '),
        )
        return [...plain.matchAll(/\.([a-z][\w-]*)/gi)]
          .filter(({ 1: name = '' }) => !isGiven(name))
          .map(({ index, 1: name }) => `${source.path}:${lineAt(source, index)} .${name}`)
      })
  },
  planted: [{ 'console/ui/a.module.css': '.box { color: red }', 'console/ui/a.tsx': 'const a = styles.other' }],
}

/** Parts that are given the words of whoever uses them, or name them by their own keys. */
const takers = [
  'console/commands',
  'console/lib',
  'console/ui',
  'console/shell',
  'console/shortcuts.ts',
  'console/pages/shared',
]

/** The texts of an area. Below them, those with small letters alone are also looked up by what the API says. */
const named = /^ {2}(\w+)(?=[:,])|^ {4,}([a-z]+[A-Z]\w*)(?=[:,])/gm

const isWords = ({ path }: Source) => /^console\/words\/|\.(en|de)\.ts$/.test(path)
const isEnglish = ({ path }: Source) => /^console\/(words\/en\/|families\/.*words\.en\.ts$)/.test(path)

/** The module that gives code an area of words in the language of the page. */
const areaOf = (path: string) => path.replace('/words/en/', '/words/').replace(/\.en\.ts$/, '.ts')

const texts: Rule = {
  promise: 'every text of the console is used where its area is',
  check: (sources) => {
    const code = sources.filter((source) => inConsole(source) && !isWords(source))
    const taking = code.filter(({ path }) => takers.some((folder) => inFolder(path, folder)))
    return sources.filter(isEnglish).flatMap((source) => {
      const importing = code.filter(({ imports }) => imports.some(({ file }) => file === areaOf(source.path)))
      const folders = new Set(importing.map(({ path }) => dirname(path)))
      const beside = code.filter(({ path }) => folders.has(dirname(path)))
      const used = words([...taking, ...beside].map((user) => user.code).join('\n'))
      return [...source.bare.matchAll(named)]
        .map(({ index, 1: outer = '', 2: name = outer }) => ({ index, name }))
        .filter(({ name }) => !used.has(name))
        .map(({ index, name }) => `${source.path}:${lineAt(source, index)} ${name}`)
    })
  },
  planted: [
    {
      'console/words/en/a.ts': "export const a = {\n  shown: 'A',\n  hidden: 'B',\n}",
      'console/ui/a.tsx': "import { a } from '../words/a.ts'\nconst b = w.shown",
    },
    {
      'console/families/a/words.en.ts': "export const a = {\n  shown: 'A',\n  hidden: 'B',\n}",
      'console/families/a/list.tsx': "import { a } from './words.ts'\nconst b = a.shown",
    },
  ],
}

/** What people paste into shells begins with the name of a program. */
const program =
  /^(export|hcloud|curl|wolke|terraform|ssh|scp|sftp|rsync|borg|restic|rclone|sshfs|mv|chmod|mkdir|mkfs[.\w]*|u?mount|resize2fs|dig|docker) /
const template = /(\w*)`([^`]*)`/g

const commands: Rule = {
  promise: 'commands with values in them are made by sh, which quotes each value',
  check: ofConsole((sources) =>
    sources.flatMap((source) =>
      [...source.code.matchAll(template)]
        .filter(([, tag, text = '']) => tag !== 'sh' && program.test(text) && text.includes('${'))
        .map(({ index, 0: found }) => `${source.path}:${lineAt(source, index)} ${found}`),
    ),
  ),
  planted: [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code that breaks the rule
    { 'console/pages/a.tsx': 'const a = <Empty command={`hcloud firewall describe ${firewall.name}`} />' },
  ],
}

export const consoleRules: readonly Rule[] = [
  shared,
  senders,
  forms,
  sleeps,
  prices,
  exported,
  classes,
  texts,
  commands,
]
