/**
 * Counts how well the house keeps its own law, and prints the table: `npm run check:house`. A figure that has not reached
 * its aim may not get worse than it is, so the run fails when one does.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { circlesOfConsole } from '../test/laws/safety/console-layers.ts'
import { readConsole } from '../test/laws/source.ts'

interface Figure {
  readonly what: string
  readonly now: number
  readonly aim: number
  /** The most that it may be while it is not at its aim. */
  readonly most?: number
  /** What it was counted on, where that says more than the number. */
  readonly of?: string
}

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
const below = (...folders: readonly string[]) =>
  tracked.filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)))
const isCode = (path: string) => /\.tsx?$/.test(path)
const isTest = (path: string) => path.endsWith('.test.ts')
const program = below('src', 'console').filter((path) => isCode(path) && !isTest(path))
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)]

function show(figures: readonly Figure[]): void {
  console.log('| | now | aim |\n|---|---|---|')
  for (const { what, now, aim, of } of figures) console.log(`| ${what} | ${now}${of ? ` (${of})` : ''} | ${aim} |`)
  const worse = figures.filter(({ now, aim, most = aim }) => now > most)
  for (const { what, now, aim, most = aim } of worse) console.error(`${what}: ${now}, which may be ${most} at most`)
  if (worse.length > 0) process.exitCode = 1
}

/** Files outside of a family's own folders that know of it; Volumes stand for all families. */
function mentions(paths: readonly string[]): number {
  const own = /\/(families|pages|simulated|hosts|incus)\/volumes(\/|\.ts)|\/volumes\.(ts|tsx)$/
  const ofContainers =
    /^(deploy|scripts\/packages|test\/packages|test\/clients\/kit\/manifests)\/|^docs\/operating\/(containers|upgrades)\.md$/
  // Subvolumes are directories of a file system, and what containers call volumes is theirs.
  const isAbout = (path: string) => !own.test(path) && !ofContainers.test(path) && /(?<!sub)volume/i.test(read(path))
  return paths.filter((path) => !/\.(png|gz|br|ico|woff2)$/.test(path) && isAbout(path)).length
}

/** Files that are not of a family and yet get a line when one comes, as the planted one shows. */
function sharedFiles(): number {
  const edits = matches(read('test/laws/planted.test.ts'), /\[\s*'((?:src|console|test|attack)\/[\w/.-]+\.tsx?)',/g)
  return new Set(edits.map(([, path]) => path)).size
}

function dependants(): number {
  const [, list = ''] = read('test/laws/families.test.ts').split(/^const dependants.*$/m)
  return matches(list.split(/^\]$/m)[0]!, /\bpaths: /g).length
}

/** What carries out requests in the folders of families; each has one home. */
const homes = 'work creation removal changing placement owners add attach requests drafts'.split(' ')
const homesOfLogic = () =>
  new Set(
    below('src/families')
      .map((path) => basename(path, '.ts'))
      .filter((name) => homes.includes(name)),
  ).size

/** Files whose functions may be longer than 60 lines, by folder. */
function exemptions(folder: string): number {
  const { overrides } = JSON.parse(read('biome.json')) as { overrides: { includes: string[]; linter: object }[] }
  const rules = overrides.filter(({ linter }) => JSON.stringify(linter).includes('noExcessiveLinesPerFunction'))
  const excluded = rules.flatMap(({ includes }) => includes.filter((one) => one.startsWith(`!${folder}/`)))
  return excluded.filter((one) => !isTest(one)).length
}

/** Functions of the console over 60 lines, whatever the rules exempt. */
function longFunctions(): number {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-house-'))
  const rule = { noExcessiveLinesPerFunction: { level: 'error', options: { maxLines: 60 } } }
  const rules = { preset: 'none', complexity: rule }
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ root: true, linter: { rules } }))
  const args = ['lint', `--config-path=${folder}`, '--reporter=json', '--max-diagnostics=none', 'console']
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/biome'), args, { cwd: root, encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  return (JSON.parse(stdout) as { summary: { errors: number } }).summary.errors
}

/** The largest number of files of code in one folder that is below some place. */
function fullest(place: string): Pick<Figure, 'now' | 'of'> {
  const folders = Map.groupBy(below(place).filter(isCode), dirname)
  const [folder, files] = [...folders].reduce((a, b) => (b[1].length > a[1].length ? b : a))
  return { now: files.length, of: folder }
}

/** Words that stand for the web console and the like, and may name nothing else in paths of src. */
const taken = ['console']
function twofold(): Pick<Figure, 'now' | 'of'> {
  const means = (word: string) => below('src').filter((path) => new RegExp(`/${word}(/|\\.ts$)`).test(path))
  const found = taken.filter((word) => means(word).some((path) => path !== `src/pages/${word}.ts`))
  return { now: found.length, of: found.join(', ') }
}

/** Names of types that five or more modules of src declare for themselves. */
function commonNames(): Pick<Figure, 'now' | 'of'> {
  const declared = program
    .filter((path) => path.startsWith('src/'))
    .flatMap((path) => matches(read(path), /^(?:export )?(?:interface|type) (\w+)/gm))
  const names = Map.groupBy(declared, ([, name]) => name!)
  const common = [...names].filter(([, all]) => all.length >= 5).map(([name, all]) => `${name} ${all.length}`)
  return { now: common.length, of: common.join(', ') }
}

/** Comments that begin with such a word mostly have no subject. */
const headless =
  /^(What|Who|Whom|Whose|Where|Whether|How|Of|Which|When|That|So|As|If|By|In|For|To|Why|With|Without|From|At|On)$/
function headlessShare(folder: string): number {
  const texts = program.filter((path) => path.startsWith(`${folder}/`)).map(read)
  const first = texts.flatMap((text) => matches(text, /^\s*(?:\/\*\*|\/\/)\s+(?:\*\s+)?([A-Z'`][\w'`]*)/gm))
  return Math.round((first.filter(([, word]) => headless.test(word!)).length / first.length) * 100)
}

show([
  { what: 'shared files that a new family edits', now: sharedFiles(), aim: 12 },
  { what: 'files outside its folders that mention Volumes: console', now: mentions(below('console')), aim: 3 },
  { what: 'the same: src', now: mentions(below('src').filter((path) => !isTest(path))), aim: 12, most: 25 },
  { what: 'the same: all', now: mentions(tracked), aim: 60, most: 125 },
  { what: 'exceptions to the law of families', now: dependants(), aim: 20 },
  { what: 'file names that carry out requests', now: homesOfLogic(), aim: 1 },
  { what: 'exemptions from the length of functions: src', now: exemptions('src'), aim: 1 },
  { what: 'circles of imports in the console', now: circlesOfConsole.check(readConsole()).length, aim: 0 },
  { what: 'functions of the console over 60 lines', now: longFunctions(), aim: 15 },
  { what: 'most files in a folder of test', ...fullest('test'), aim: 15 },
  { what: 'most files in a folder of src/people', ...fullest('src/people'), aim: 15 },
  { what: 'most files in a folder of src/drivers', ...fullest('src/drivers'), aim: 15 },
  { what: 'most files in a folder of src/kernel/http', ...fullest('src/kernel/http'), aim: 15 },
  { what: 'words with two meanings in paths', ...twofold(), aim: 0 },
  { what: 'names of types declared five times or more', ...commonNames(), aim: 3 },
  { what: 'headless comments in src, in percent', now: headlessShare('src'), aim: 8 },
  { what: 'headless comments in the console, in percent', now: headlessShare('console'), aim: 8 },
])
