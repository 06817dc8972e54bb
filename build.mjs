/**
 * Bundles src/ and the libraries it uses into dist/, and the console into dist/console. Does nothing when dist/ was made
 * from the same files.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [major, minor] = process.versions.node.split('.').map(Number)
// The sources are TypeScript, which older versions cannot run.
if (major < 24 || (major === 24 && minor < 9)) {
  console.error(`wolke: the build needs Node.js 24.9 or newer, which npm ci brings along, not ${process.version}`)
  // An error would show its stack instead of this line, and nothing has begun yet that would have to end.
  process.exit(2)
}
process.chdir(import.meta.dirname)
await alone('dist/.building')
const digestFile = 'dist/.digest'
const digest = digestOfSources()
const consoleDigestFile = 'dist/.digest-console'
const consoleDigest = digestOf([...filesOfConsole(), 'build.mjs', 'package-lock.json'])
const isConsoleCurrent =
  existsSync(consoleDigestFile) &&
  existsSync('dist/console/index.html') &&
  // The program is made of some of these files, too.
  existsSync('console/generated') &&
  readFileSync(consoleDigestFile, 'utf8') === consoleDigest
if (!isConsoleCurrent) {
  const { buildConsole } = await import('./console/build.ts')
  await buildConsole(new Set(filesOfConsole()))
  replaceFile(consoleDigestFile, consoleDigest)
}
const isCurrent = existsSync(digestFile) && existsSync('dist/main.js') && readFileSync(digestFile, 'utf8') === digest
if (!isCurrent) {
  const { bundle } = await import('./scripts/bundle.ts')
  const { consoleLicenses } = await import('./console/build.ts')
  const { files, inputs } = await bundle({
    'parser-thread': 'src/families/certificates/parser-thread.ts',
    'pages-thread': 'src/kernel/data/pages-thread.ts',
    'load-balancers': 'src/drivers/load-balancers/embedded/process/program.ts',
    'storage-doors': 'src/drivers/storage/doors/process/program.ts',
  })
  replaceDist(files)
  // It has types alone, and is its own declaration.
  replaceFile('dist/library.d.ts', readFileSync('src/library/wolke.ts'))
  replaceFile('dist/THIRD-PARTY-NOTICES.txt', notices(inputs, consoleLicenses()))
  replaceFile(digestFile, digest)
}

/** Waits until no other process builds: tests that need the program ask for it at the same time. */
async function alone(lock) {
  mkdirSync('dist', { recursive: true })
  while (!isLocked(lock)) {
    if (!isRunning(lock)) rmSync(lock, { force: true })
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  process.once('exit', () => rmSync(lock, { force: true }))
}

function isLocked(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  }
}

/** Whether the process that has the lock still runs; one that was killed leaves it behind. */
function isRunning(lock) {
  try {
    return process.kill(Number(readFileSync(lock, 'utf8')), 0)
  } catch ({ code }) {
    return code !== 'ESRCH'
  }
}

function digestOfSources() {
  const own = filesIn('src').filter((path) => !isProof(path))
  const terraform = filesIn('console').filter((path) => path.includes('terraform'))
  return digestOf([
    ...own,
    ...filesIn('console/look'),
    ...filesIn('lab/host'),
    ...terraform,
    'build.mjs',
    'scripts/bundle.ts',
    'package-lock.json',
  ])
}

/**
 * The console is made of its own files, of what it shares with the server, and of tables of all contracts. It is made
 * anew too often rather than too seldom: the build of the console fails when it uses another file.
 */
function filesOfConsole() {
  const own = filesIn('console').filter((path) => !path.startsWith('console/generated/'))
  const shared = filesIn('src').filter((path) =>
    /^src\/(families|kernel|protocols\/net|pages|version)[/.]|\/contract\.ts$/.test(path),
  )
  return [...own, ...shared.filter((path) => !isProof(path)), 'scripts/console-slices.ts', 'scripts/console-tables.ts']
}

/** A family's proof is for tests only: `proof.ts`, and the folder `proof` of a long one. */
function isProof(path) {
  return /\/proof(\.ts$|\/)/.test(path)
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function digestOf(paths) {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(`${path}\0`).update(readFileSync(path))
  return hash.digest('hex')
}

/**
 * The licenses of the libraries in the bundle, which ask to go along with every copy. Texts that a package leaves out are
 * kept in licenses/.
 */
function notices(inputs, ofConsole) {
  const folders = inputs.map((path) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0])
  const parts = [...new Set(folders.filter(Boolean))].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const own = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    const kept = join('licenses', `${name.replace('/', '+')}.txt`)
    const texts = existsSync(kept) ? [kept] : own.map((file) => join(folder, file))
    if (texts.length === 0 && !license) throw new Error(`${name} in ${folder} does not say its license`)
    return [`${name} ${version} (${license})`, ...texts.map((path) => readFileSync(path, 'utf8').trim())].join('\n\n')
  })
  const intro = 'Wolke is delivered as one program that contains the following libraries.'
  return [intro, ...new Set([...parts, ...ofConsole])].join(`\n\n${'-'.repeat(80)}\n\n`).concat('\n')
}

/** Every file appears whole, main.js last: who starts meanwhile runs the old bundle or the new one. */
function replaceDist(files) {
  mkdirSync('dist', { recursive: true })
  const last = [...files].sort((a, b) => Number(a.path === 'main.js') - Number(b.path === 'main.js'))
  for (const { path, contents } of last) replaceFile(join('dist', path), contents, path === 'main.js' ? 0o755 : 0o644)
  const current = new Set(files.map(({ path }) => path))
  rmSync('dist/.cache', { recursive: true, force: true })
  for (const name of readdirSync('dist')) {
    if (/\.js(\.map)?$/.test(name) && !current.has(name)) rmSync(join('dist', name), { force: true })
  }
}

function replaceFile(path, contents, mode = 0o644) {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, contents, { mode })
  renameSync(draft, path)
}
