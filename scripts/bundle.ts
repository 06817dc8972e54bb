/**
 * Makes the program of `src/`: what a start needs is one file, which is read whole, and what is imported on demand
 * (PostgreSQL, catalogue files) is in files that are read on demand.
 */
import { isBuiltin } from 'node:module'
import { relative, sep } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { type InputOptions, type OutputChunk, type Plugin, rolldown } from 'rolldown'

/** A file of the program; its path is within `dist/`. */
export interface BundledFile {
  readonly path: string
  readonly contents: string
}

export interface Bundle {
  readonly files: readonly BundledFile[]
  /** The sources that are in it, below the root of the project. */
  readonly inputs: readonly string[]
}

/**
 * Bundles the program, and what runs on a thread or in a process of its own, which has all that it needs: `alone` says
 * which source each file of that kind begins with.
 */
export async function bundle(alone: Readonly<Record<string, string>>): Promise<Bundle> {
  const others = Object.entries(alone).map(([name, path]) => bundleAlone(name, path))
  const chunks = (await Promise.all([bundleProgram(), ...others])).flat()
  const files = chunks.map(({ fileName, code }) => ({ path: fileName, contents: code }))
  const maps = chunks.map(({ fileName, map }) => ({ path: `${fileName}.map`, contents: String(map) }))
  const inputs = chunks.flatMap(({ moduleIds }) => moduleIds.map((id) => relative('.', id.split('?')[0]!)))
  return { files: [...files, ...maps], inputs: [...new Set(inputs)].sort() }
}

async function bundleProgram(): Promise<OutputChunk[]> {
  const build = await rolldown({
    ...common,
    input: { main: 'src/bin.ts', library: 'src/library/library.ts' },
    preserveEntrySignatures: 'allow-extension',
  })
  let needed: Set<string> | undefined
  const { output } = await build.generate({
    ...written,
    chunkFileNames: ({ name }) => `${name.replace(/\W+/g, '-')}-[hash].js`,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        {
          debugName: 'start',
          name(id, context) {
            needed ??= reachable(main, (from) => context.getModuleInfo(from)?.importedIds ?? [])
            // The library shares this file, and runs no command.
            return id !== main && needed.has(id) ? 'start' : null
          },
        },
      ],
    },
  })
  await build.close()
  return output.filter((one) => one.type === 'chunk')
}

/** The command line, which `bin.ts` imports when the version of Node.js is known to do. */
const main = `${process.cwd()}${sep}src${sep}main.ts`

/** A module with all that it imports, and what that imports. */
function reachable(start: string, importsOf: (id: string) => readonly string[]): Set<string> {
  const found = new Set([start])
  for (const id of found) for (const imported of importsOf(id)) found.add(imported)
  return found
}

async function bundleAlone(name: string, path: string): Promise<OutputChunk[]> {
  const build = await rolldown({ ...common, input: { [name]: path } })
  const { output } = await build.generate({ ...written, codeSplitting: false })
  await build.close()
  return output.filter((one) => one.type === 'chunk')
}

// ---- Modules ---------------------------------------------------------------------------------------------------------

/**
 * Node.js reads every export of its own module when that is imported, which loads its HTTP client, TLS and more that
 * nobody has asked for. What is taken from the module itself is loaded alone.
 */
const builtins: Plugin = {
  name: 'builtins',
  resolveId: {
    order: 'pre',
    filter: { id: /^(node:)?[a-z_0-9/]+$/ },
    handler(id, _importer, { kind }) {
      // What begins, and what the bundler adds to files, has to work before any of this is there.
      if (id === 'node:module' || !isBuiltin(id) || kind !== 'import-statement') return null
      return { id: `\0builtin:${id.replace('node:', '')}`, moduleSideEffects: false }
    },
  },
  load: {
    filter: { id: /^\0builtin:/ },
    handler(id) {
      const name = `node:${id.slice('\0builtin:'.length)}`
      const names = Object.keys(process.getBuiltinModule(name) ?? {}).filter((key) => key !== 'default')
      const each = names.map((key) => `export const ${key} = /* @__PURE__ */ (() => builtin.${key})()`)
      const builtin = `const builtin = /* @__PURE__ */ process.getBuiltinModule('${name}')`
      return [builtin, 'export default builtin', ...each].join('\n')
    },
  },
}

/** Parts of libraries that the program does without, each with why, and what stands in for it. */
const without: readonly { readonly of: RegExp; readonly id: RegExp; readonly code: string }[] = [
  // SSH does without native parts, as it does where they cannot be built.
  { id: /^cpu-features$|\.node$/, of: /ssh2[/]/, code: "throw new Error('there are no native parts')" },
  // The doors are a server, which hands the bytes of SFTP on as they come; nothing here is a client.
  {
    id: /^\.\/(agent|client|http-agents|protocol\/SFTP)\.js$/,
    of: /ssh2[/]lib[/]\w+\.js$/,
    code: 'module.exports = {}',
  },
  // Keys of hosts are made here, and those of people are public ones: none has a passphrase.
  {
    id: /^bcrypt-pbkdf$/,
    of: /ssh2[/]/,
    code: "module.exports = { pbkdf() { throw new Error('no passphrases here') } }",
  },
  // An assistant is asked for nothing, so that no answer of it is compared with a schema.
  {
    of: /modelcontextprotocol[/]sdk[/]/,
    id: /[/]ajv-provider\.js$/,
    code: "export class AjvJsonSchemaValidator { getValidator() { throw new Error('nothing is elicited') } }",
  },
  // Mail is text without attachments, and its server is given by its address.
  {
    of: /nodemailer[/]/,
    id: /[/]mime-types\.js$/,
    code: "export const detectMimeType = () => 'application/octet-stream', detectExtension = () => 'bin'",
  },
  { of: /nodemailer[/]/, id: /[/]well-known[/](index|services)\.js$/, code: 'export default () => false' },
  // Metrics have neither exemplars nor summaries.
  { of: /prom-client[/]/, id: /^(@opentelemetry[/]api|tdigest)$/, code: 'module.exports = {}' },
  // The contract validates and serializes.
  { of: /fastify/, id: /^@fastify\/(ajv-compiler|fast-json-stringify-compiler)$/, code: 'module.exports = undefined' },
  // No plugin of another version is there, and no request is made up.
  { of: /fastify/, id: /^(semver|light-my-request)$/, code: 'module.exports = undefined' },
  // The server below the edge is made by the edge itself. TLS is loaded where somebody wants it.
  { of: /fastify\/lib\/server\.js$/, id: /^node:https?2?$/, code: 'module.exports = undefined' },
]

const replaced: Plugin = {
  name: 'without',
  resolveId: {
    order: 'pre',
    handler(id, importer = '') {
      const at = without.findIndex((one) => one.id.test(id) && one.of.test(importer))
      return at < 0 ? null : { id: `\0without:${at}`, moduleSideEffects: false }
    },
  },
  load: {
    filter: { id: /^\0without:/ },
    handler: (id) => without[Number(id.slice('\0without:'.length))]!.code,
  },
}

/**
 * The router of fastify makes code for each piece of a path, which takes longer at a start than to compare all paths that
 * come to it: reads go another way. It is told here instead how pieces are compared.
 */
const router: Plugin = {
  name: 'router',
  transform: {
    filter: { id: /find-my-way[/]lib[/]node[.]js$/ },
    handler(code) {
      const [before, after, ...others] = code.split('function compilePrefixMatch (prefix) {')
      if (after === undefined || others.length > 0) throw new Error('find-my-way compares prefixes in another way')
      const compare = 'function compilePrefixMatch (prefix) { return (path, at) => path.startsWith(prefix, at) };'
      return { code: `${before}${compare} function unused (prefix) {${after}`, map: null }
    },
  },
}

/** Texts that are made once, here, and not by every process that is asked for them. */
const packed: Plugin = {
  name: 'packed',
  load: {
    filter: { id: /(packed-editions|faults\/texts|src\/host\/texts|src\/look\/texts|migrations\/result)\.ts$/ },
    async handler(id) {
      const code = await packs.find(([path]) => id.endsWith(path))![1]()
      return { code, moduleType: 'js' }
    },
  },
}

const packs: readonly (readonly [string, () => Promise<string>])[] = [
  ['packed-editions.ts', packEditions],
  ['faults/texts.ts', packScenarios],
  ['src/host/texts.ts', () => packTexts('../src/host/texts.ts')],
  ['src/look/texts.ts', () => packTexts('../src/look/texts.ts')],
  ['migrations/result.ts', packResult],
]

async function packEditions(): Promise<string> {
  const { renderEditions } = await import('../src/pages/edition.ts')
  // A window that sees all editions at once, as they hardly differ.
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  }
  const lines = renderEditions().map(({ from, ...edition }) => `${from}\n${JSON.stringify(edition)}\n`)
  const text = brotliCompressSync(lines.reverse().join(''), { params }).toString('base64')
  return `export const packedEditions = '${text}'`
}

/** The bundle has the texts of the scenarios within. */
async function packScenarios(): Promise<string> {
  const { texts } = await import('../src/lab/faults/texts.ts')
  return `export const texts = ${JSON.stringify(texts)}`
}

/** The bundle has the texts of the look and of hosts within, as there are no files beside it. */
async function packTexts(module: string): Promise<string> {
  const texts = Object.entries<string>(await import(module))
  return texts.map(([name, text]) => `export const ${name} = ${JSON.stringify(text)}`).join('\n')
}

/** The schema of a new database is made of the migrations once, here. */
async function packResult(): Promise<string> {
  const { result } = await import('../src/migrations/result.ts')
  return `export const result = ${JSON.stringify(result)}`
}

/**
 * The bundler takes calls of these for pure and drops those whose result nobody uses, though they throw what a `try` around
 * them waits for. It knows nothing of members of the global object.
 */
const throwing = ['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'String.fromCodePoint']

/** A module that is imported on demand in one place may well be needed at once in another. */
const checks = { ineffectiveDynamicImport: false, bundlerTimings: false }
/** Names of classes are those of errors; functions are found by the places of their lines. */
const keepNames = { function: false, class: true }

const common = {
  platform: 'node',
  logLevel: 'warn',
  checks,
  plugins: [replaced, builtins, router, packed],
  transform: {
    define: {
      ...Object.fromEntries(throwing.map((name) => [name, `globalThis.${name}`])),
      // A library of SSH names a folder of which it reads nothing, as its parts are in it as text.
      __dirname: "'/'",
    },
  },
} satisfies InputOptions

const written = {
  format: 'esm',
  sourcemap: true,
  sourcemapExcludeSources: true,
  comments: false,
  minify: {
    compress: { target: 'node24', keepNames },
    mangle: { keepNames },
    codegen: true,
  },
} as const
