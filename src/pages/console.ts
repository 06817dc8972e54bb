/**
 * The console: files that the build made, read when they are first asked for. Every other path below /console gets the
 * one page of the console, so that addresses of its pages can be opened, shared and loaded again.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { consoleBase } from '../kernel/http/admission/console-api.ts'
import { type Encoding, pack, preferredEncoding } from '../kernel/http/api/compress.ts'
import type { SentPage } from '../kernel/http/pages/open-pages.ts'
import type { PageTree } from '../kernel/http/pages/page-trees.ts'
import { browserHeaders } from '../kernel/http/server/browser-headers.ts'

const folder = new URL(import.meta.url.endsWith('.ts') ? '../../dist/console/' : './console/', import.meta.url)

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
}
const unpacked = promisify(brotliDecompress)

const missing =
  'The console was not built: run `node build.mjs`, or use the published package. The API works without it.'

/** The console at /console; it says on every page when the cloud is a lab. */
export function consoleTree({ isLab }: { readonly isLab: boolean }): PageTree {
  const files = new Map<string, Promise<Buffer | undefined>>()
  const pages = new Map<string, Promise<SentPage>>()
  let template: string | undefined

  const read = async (name: string, encoding: Encoding) => {
    const packed = await readFile(new URL(`${name}.br`, folder)).catch(() => undefined)
    if (!packed || encoding === 'br') return packed
    return pack((await unpacked(packed)).toString(), encoding)
  }

  const file = async (name: string, encoding: Encoding) => {
    const key = `${encoding} ${name}`
    const reading = files.get(key) ?? read(name, encoding)
    files.set(key, reading)
    const bytes = await reading
    // Only what exists is kept, so that nobody can fill the memory with names.
    if (!bytes) files.delete(key)
    return bytes
  }

  const asset = async (name: string, encoding: Encoding): Promise<SentPage | undefined> => {
    const type = types[name.split('.').at(-1) ?? '']
    if (!type) return undefined
    // Pages that were open before an upgrade still ask for the files of the build before.
    for (const place of ['assets/', 'previous/assets/']) {
      const body = await file(place + name, encoding)
      if (body) return { status: 200, headers: { ...assetHeaders(type), ...codingHeaders(encoding) }, body }
    }
    return undefined
  }

  const page = async (wish: Wish, encoding: Encoding): Promise<SentPage> => {
    template ??= (await readFile(new URL('index.html', folder), 'utf8').catch(() => undefined)) ?? ''
    if (template === '') return { status: 503, headers: { 'content-type': 'text/plain' }, body: Buffer.from(missing) }
    const html = template.replace('<html lang="en">', `<html${attributes(wish)}${isLab ? ' data-lab' : ''}>`)
    const etag = `W/"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`
    const headers = { ...browserHeaders, ...pageHeaders, ...codingHeaders(encoding), etag }
    return { status: 200, headers, body: await pack(html, encoding) }
  }

  return {
    base: consoleBase,
    async answer(path, asked) {
      if (path.startsWith('/api/')) return undefined
      const encoding = preferredEncoding(asked['accept-encoding'])
      const name = /^\/assets\/([\w-]+(?:\.[\w-]+)+)$/.exec(path)?.[1]
      if (name) return asset(name, encoding)
      if (path.startsWith('/assets/')) return undefined
      const wish = wishOf(asked)
      const key = JSON.stringify([wish, encoding])
      const kept = pages.get(key) ?? page(wish, encoding)
      if (!pages.has(key)) pages.set(key, kept)
      const sent = await kept
      if (sent.status !== 200) pages.delete(key)
      if (asked['if-none-match'] !== sent.headers.etag) return sent
      return { status: 304, headers: sent.headers }
    },
  }
}

const pageHeaders = {
  'cache-control': 'no-cache, private',
  'content-type': 'text/html; charset=utf-8',
  vary: 'accept-encoding, accept-language, cookie',
}

function assetHeaders(type: string): Record<string, string> {
  return {
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': type,
    vary: 'accept-encoding',
  }
}

function codingHeaders(encoding: Encoding): Record<string, string> {
  return encoding === 'identity' ? {} : { 'content-encoding': encoding }
}

/** A reader's choices for the console. Each has few values, so that all variants of the page can be kept. */
interface Wish {
  readonly lang: 'de' | 'en'
  readonly theme: 'dark' | 'light' | undefined
  readonly density: 'compact' | undefined
}

/** Reads the choices from the console's cookies; the language falls back to that of the browser. */
function wishOf({ cookie = '', 'accept-language': languages = '' }: IncomingHttpHeaders): Wish {
  const value = (name: string) => new RegExp(`(?:^|; ?)wolke_${name}=(\\w+)`).exec(cookie)?.[1]
  const [theme, density] = [value('theme'), value('density')]
  const language = value('language') ?? languages.slice(0, 2).toLowerCase()
  return {
    lang: language === 'de' ? 'de' : 'en',
    theme: theme === 'dark' || theme === 'light' ? theme : undefined,
    density: density === 'compact' ? density : undefined,
  }
}

function attributes({ lang, theme, density }: Wish): string {
  return ` lang="${lang}"${theme ? ` data-theme="${theme}"` : ''}${density ? ` data-density="${density}"` : ''}`
}
