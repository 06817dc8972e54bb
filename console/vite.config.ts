/** Builds the console: hashed files below /console/assets, each also compressed, and a page that names them. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))

/**
 * The signs and the start of the program are needed for the first picture, so the page carries the signs itself and
 * names the files that the entry is about to ask for, with those of the list that most people open first.
 */
const firstPicture: Plugin = {
  name: 'first-picture',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle }) {
      const sprite = readFileSync(`${here}look/sprite.svg`, 'utf8').replace(
        '<svg ',
        '<svg class="sprite" width="0" height="0" aria-hidden="true" ',
      )
      const chunks = Object.values(bundle ?? {}).filter((part) => part.type === 'chunk')
      const preload = filesOf(chunks, /\/console\/(main|start|families\/servers\/list)\.tsx$/)
        .filter((file) => !html.includes(file))
        .map((file) => `<link rel="modulepreload" crossorigin href="/console/${file}">`)
      return html
        .replace('<!--sprite-->', sprite.replaceAll(/>\s+</g, '><'))
        .replace('</head>', `${preload.join('')}</head>`)
    },
  },
}

/**
 * Modules that libraries bring into the first page though the console never asks for them. Each would make it larger, by
 * the bytes beside it (compressed with gzip), and libraries have no option to leave them out.
 */
const unused: Readonly<Record<string, string>> = {
  // Each route has a link of the router's, where the console has ui/link.tsx: 1,746 bytes.
  '/react-router/dist/esm/link.js':
    'const no = undefined\nexport { no as Link, no as createLink, no as linkOptions, no as useLinkProps }',
  // The cache of queries has one of mutations: 1,010 bytes.
  '/query-core/build/modern/mutationCache.js':
    'export class MutationCache { clear() {} findAll() { return [] } resumePausedMutations() {} }',
  // It has queries that grow by pages: 538 bytes.
  '/query-core/build/modern/infiniteQueryBehavior.js':
    'const no = undefined\nexport { no as infiniteQueryBehavior, no as hasNextPage, no as hasPreviousPage }',
  // Vite wraps each import on demand to load styles and modules before it; here are no such: 762 bytes.
  'vite/preload-helper.js': 'export const __vitePreload = (load) => load()',
}

/** Leaves those out, and fails when a library no longer has one where it was. */
const withoutUnused: Plugin = {
  name: 'without-unused',
  enforce: 'pre',
  load: (id) => Object.entries(unused).find(([path]) => id.endsWith(path))?.[1],
  buildEnd(error) {
    const ids = [...this.getModuleIds()]
    const missing = Object.keys(unused).filter((path) => !ids.some((id) => id.endsWith(path)))
    if (!error && missing.length > 0) this.error(`nothing is left out any more at ${missing.join(', ')}`)
  },
}

/** The order of the layers of all styles: begins each file, as any of them can come first when all become one. */
const layerOrder: Plugin = {
  name: 'layer-order',
  enforce: 'pre',
  transform(code, id) {
    return id.endsWith('.css') ? `@layer tokens, base, parts, pages, narrow;\n${code}` : undefined
  },
}

/** The files of modules, with all that those import at once. */
function filesOf(chunks: readonly Rolldown.OutputChunk[], modules: RegExp): string[] {
  const found = new Set<string>()
  const add = (file: string) => {
    if (found.has(file)) return
    found.add(file)
    for (const next of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) add(next)
  }
  for (const { fileName, facadeModuleId } of chunks) if (modules.test(facadeModuleId ?? '')) add(fileName)
  return [...found]
}

/** Parts of the look keep their names, which form one vocabulary; names of pages belong to their page. */
function scopedName(name: string, file: string): string {
  const page = /\/(?:pages|families)\/(.*)\.module\.css/.exec(file)?.[1]
  return page ? `${page.replaceAll('/', '-')}-${name}` : name
}

/** The list of servers, mostly the first page, in one file. */
const firstList = /console\/families\/servers\/(list|columns|acts|server|status)\./

/** The modules that every page needs, in two files that compress well, instead of one for each combination of pages. */
const libraries =
  /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(?!.*(virtual|queriesObserver|useQueries|not-found)))/
const firstParts =
  'box-field|button|check|copy-later|cx|empty|filter-box|icon|layers|menu|page|pager|progress|link|seg|skeleton|state|table|tag|time|tip|top-slot|use-(?!submit|draft).*'
const parts = new RegExp(
  `console/(shell/(commands|commands-button|may|side|navigation|project-switch|states-later)\\.|families\\.ts|generated/entry\\.|routes/|routes\\.|router\\.|pages/shared/(columns|list-page|search)\\.|(pages|families)/[a-z-]+/(entry|search)\\.|lib/store\\.|api/(?!event|follow|further|outdate|passkeys)|shortcuts|ui/(${firstParts})\\.)`,
)

// biome-ignore lint/style/noDefaultExport: Vite asks for it
export default defineConfig({
  root: here,
  base: '/console/',
  publicDir: false,
  plugins: [react(), firstPicture, layerOrder, withoutUnused],
  // Libraries bring a hook for versions of React that had none.
  resolve: { alias: [{ find: /^use-sync-external-store\/shim\b/, replacement: 'use-sync-external-store' }] },
  css: { modules: { generateScopedName: scopedName } },
  build: {
    outDir: '../dist/console',
    emptyOutDir: false,
    assetsInlineLimit: 0,
    // One small file: nothing is ever drawn without its look.
    cssCodeSplit: false,
    // Pages are loaded on intent, so what they need in turn is not listed in the start of the program.
    modulePreload: false,
    // The first versions with light-dark().
    target: ['chrome123', 'firefox120', 'safari17.5'],
    license: { fileName: 'licenses.json' },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // It has no parts: they have their words once the language is there, and the first calls wait for nothing.
            { name: 'words', test: /console\/(words\/(words|format|first)|api\/early)\.|preload-helper/, priority: 2 },
            { name: 'libraries', test: libraries },
            { name: 'parts', test: parts },
            { name: 'first-list', test: firstList },
          ],
        },
      },
    },
  },
})
