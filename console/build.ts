/**
 * Builds the console into dist/console: hashed files, compressed with brotli, and the page that names them. The files of
 * the last other build stay for pages that are open while the server is upgraded. Fails when the console grows too large.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'

type Output = Rolldown.RolldownOutput['output'][number]
type Chunk = Rolldown.OutputChunk

/** Most bytes, compressed with gzip, of what a page needs, in every language. */
const most = {
  /** The list of servers, with everything that comes before its first rows. */
  firstPage: 130_000,
  /** The largest is the page of raw requests, which has the fields of all operations. */
  furtherPage: 27_500,
  css: 15_000,
  all: 600_000,
}
const firstPage = '/families/servers/list.tsx'

/** `known` are the files whose changes make it anew. Errors: those of the build, and one that names what is too large. */
export async function buildConsole(known: ReadonlySet<string>): Promise<void> {
  await import('../scripts/console-tables.ts')
  const draft = `dist/.console-${process.pid}`
  const outDir = `../${draft}`
  const configFile = new URL('vite.config.ts', import.meta.url).pathname
  try {
    const { output } = (await build({ configFile, logLevel: 'warn', build: { outDir } })) as Rolldown.RolldownOutput
    assertKnown(output, known)
    assertSizes(output)
    compress(`${draft}/assets`)
    replace(draft)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Leaves the files in the one encoding that nearly all browsers take; the server makes others of it. */
function compress(folder: string): void {
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  for (const name of readdirSync(folder)) {
    writeFileSync(`${folder}/${name}.br`, brotliCompressSync(readFileSync(`${folder}/${name}`), { params }))
    rmSync(`${folder}/${name}`)
  }
}

/** Puts a build in the place of the one before, whose files it keeps. */
function replace(draft: string): void {
  const [assets, previous] = ['dist/console/assets', 'dist/console/previous']
  const isAnother = existsSync(assets) && readdirSync(assets).join() !== readdirSync(`${draft}/assets`).join()
  if (isAnother) {
    mkdirSync(`${draft}/previous`, { recursive: true })
    renameSync(assets, `${draft}/previous/assets`)
  } else if (existsSync(previous)) renameSync(previous, `${draft}/previous`)
  rmSync('dist/console', { recursive: true, force: true })
  renameSync(draft, 'dist/console')
}

/** A file that is not known would leave the console as it was when it changes. */
function assertKnown(output: readonly Output[], known: ReadonlySet<string>): void {
  const used = output.flatMap((one) => (one.type === 'chunk' ? one.moduleIds : []))
  const own = used.map((id) => relative('.', id.split('?')[0]!)).filter((path) => /^(console|src)\//.test(path))
  const strange = own.filter((path) => !known.has(path) && !path.startsWith('console/generated/'))
  if (strange.length > 0) throw new Error(`build.mjs does not watch what the console uses: ${strange.join(', ')}`)
}

// ---- Sizes -----------------------------------------------------------------------------------------------------------

function assertSizes(output: readonly Output[]): void {
  const chunks = new Map(output.filter((one): one is Chunk => one.type === 'chunk').map((one) => [one.fileName, one]))
  const sizes = new Map(
    output.map((one) => [one.fileName, gzipSync(one.type === 'chunk' ? one.code : one.source).length]),
  )
  const sum = (names: Iterable<string>) => [...names].reduce((total, name) => total + (sizes.get(name) ?? 0), 0)
  const [entry, start, first] = ['/console/main.tsx', '/console/start.tsx', firstPage].map((path) => {
    const chunk = [...chunks.values()].find(
      ({ facadeModuleId, moduleIds }) => facadeModuleId?.endsWith(path) || moduleIds.some((id) => id.endsWith(path)),
    )
    if (!chunk) throw new Error(`the build of the console has no chunk for ${path}`)
    return chunk
  }) as [Chunk, Chunk, Chunk]
  const problems: string[] = []
  const limit = (what: string, bytes: number, allowed: number) => {
    if (process.env.WOLKE_CONSOLE_SIZES) console.log(`${what}: ${(bytes / 1000).toFixed(1)} kB of ${allowed / 1000}`)
    if (bytes > allowed) problems.push(`${what} has ${bytes} bytes compressed, and may have ${allowed}`)
  }
  for (const language of ['en', 'de']) {
    const files = (...of: Chunk[]) => new Set(of.flatMap((chunk) => [...needed(chunk, chunks, language)]))
    const base = files(entry, start)
    limit(`the first page (${language})`, sum(files(entry, start, first)), most.firstPage)
    for (const chunk of chunks.values()) {
      const page = /\/console\/(pages|families)\/.*$/.exec(chunk.facadeModuleId ?? '')?.[0]
      if (page)
        limit(`${page} (${language})`, sum([...files(chunk)].filter((name) => !base.has(name))), most.furtherPage)
    }
  }
  limit('the CSS', sum([...sizes.keys()].filter((name) => name.endsWith('.css'))), most.css)
  limit('the whole console', sum(sizes.keys()), most.all)
  if (problems.length > 0) throw new Error(`the console is too large: ${problems.join('; ')}`)
}

/** A chunk with all that it imports at once, and the words that it waits for. */
function needed(chunk: Chunk, chunks: ReadonlyMap<string, Chunk>, language: string, found = new Set<string>()) {
  if (found.has(chunk.fileName)) return found
  found.add(chunk.fileName)
  const isWords = ({ facadeModuleId: id }: Chunk) =>
    id?.includes(`/console/words/${language}/`) || id?.endsWith(`.${language}.ts`)
  const present = (name: string) => chunks.get(name) ?? []
  for (const next of chunk.imports.flatMap(present)) needed(next, chunks, language, found)
  for (const next of chunk.dynamicImports.flatMap(present)) if (isWords(next)) needed(next, chunks, language, found)
  return found
}

/** The licenses of the libraries in the console, as the build lists them. */
export function consoleLicenses(): string[] {
  const file = 'dist/console/licenses.json'
  if (!existsSync(file)) throw new Error(`${basename(file)} is missing in the build of the console`)
  const parts = JSON.parse(readFileSync(file, 'utf8')) as readonly {
    readonly name: string
    readonly version: string
    readonly identifier: string | null
    readonly text?: string
  }[]
  return parts.map(({ name, version, identifier, text = '' }) => `${name} ${version} (${identifier})\n\n${text.trim()}`)
}
