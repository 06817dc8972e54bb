/** The pages before the console share their frame, their headers, and how they read forms and cookies. */
import { isStorable } from '../../kernel/contract/input.ts'
import { readWeights } from '../../kernel/http/api/weights.ts'
import type { ServedAnswer, ServedCall } from '../../kernel/http/pages/served.ts'
import { browserHeaders } from '../../kernel/http/server/browser-headers.ts'
import { iconLink } from '../../look/icon.ts'
import { Html, html, type Part } from '../../protocols/net/html.ts'
import type { Answered } from '../credentials/passkeys.ts'
import type { People } from '../people.ts'
import {
  browserSecret,
  type CookieUse,
  cookieName,
  isSecurePlace,
  type Place,
  readCookie,
  setCookie,
} from '../sessions/cookies.ts'
import type { Whence } from '../sessions/sessions.ts'
import { type Language, languages, type Theme, themes } from '../tables.ts'
import { chart, sprite } from './pictures.ts'
import { type Words, words } from './words.ts'

/** The context of the pages besides the call. */
export interface Door {
  readonly people: People
  readonly version: string
}

/** The longest that a session's cookie is kept, in seconds; the database ends sessions before. */
const sessionAge = 30 * 86_400
/** The lifetime of the cookies for language and theme, in seconds. */
const choiceAge = 365 * 86_400

/** Headers of every page before the console. */
export function safeHeaders(origin: string): Record<string, string> {
  return {
    ...browserHeaders,
    'cache-control': 'no-store',
    ...(origin.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}

/** One request to a page. */
export class Visit {
  readonly call: ServedCall
  readonly door: Door
  readonly words: Words
  readonly #theme: Theme
  readonly #cookies: string[] = []
  #browser: string | undefined

  constructor(call: ServedCall, door: Door) {
    this.call = call
    this.door = door
    this.words = words[languageOf(call)]
    this.#theme = chosen(call, 'wolke_theme', themes) ?? 'system'
  }

  get people(): People {
    return this.door.people
  }

  get place(): Place {
    return { origin: this.call.origin, installation: this.people.installation }
  }

  get whence(): Whence {
    const { network, headers } = this.call
    return { network, agent: headers['user-agent'] ?? '', session: this.cookie('session') }
  }

  cookie(use: CookieUse): string | undefined {
    return readCookie(this.call.headers.cookie, cookieName(this.place, use))
  }

  /** Sets a cookie; without a value it is removed. */
  set(use: CookieUse, value: string | undefined): void {
    const age = value === undefined ? 0 : use === 'session' ? sessionAge : undefined
    this.#cookies.push(setCookie(this.place, use, value ?? '', age))
  }

  /** The secret under which this browser gets challenges; it is sent along when the browser has none. */
  browserSecret(): string {
    if (this.#browser === undefined) {
      const { secret, cookie } = browserSecret(this.place, this.call.headers.cookie)
      if (cookie !== undefined) this.#cookies.push(cookie)
      this.#browser = secret
    }
    return this.#browser
  }

  /** Returns the answer of this browser to a challenge. */
  answered(response: unknown): Answered {
    return { browser: this.cookie('browser'), origin: this.call.origin, response }
  }

  /**
   * Sends the cookie of a session and those of what its person has chosen in other browsers; that of the half-finished
   * sign-in before it is removed.
   */
  async welcome(secret: string): Promise<void> {
    this.set('session', secret)
    this.set('sign-in', undefined)
    const { person } = (await this.people.sessions.find(secret)) ?? {}
    if (person?.language) this.#remember('language', person.language)
    if (person && person.theme !== 'system') this.#remember('theme', person.theme)
  }

  /** A cookie that the console's own script may change. */
  #remember(name: string, value: string): void {
    this.#cookies.push(`wolke_${name}=${value}; Path=/console; Max-Age=${choiceAge}; SameSite=Lax`)
  }

  /** The fields of a form; none when the body is something else. */
  form(): URLSearchParams {
    const type = this.call.headers['content-type'] ?? ''
    const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)
    const form = new URLSearchParams(isForm ? this.call.body.toString('utf8') : '')
    // Databases cannot keep a NUL.
    return [...form.values()].every(isStorable) ? form : new URLSearchParams()
  }

  /** The body as JSON; undefined when it is something else. */
  json(): unknown {
    if (!/^application\/json\s*(;|$)/i.test(this.call.headers['content-type'] ?? '')) return undefined
    try {
      return JSON.parse(this.call.body.toString('utf8'), (_, value) => {
        if (typeof value === 'string' && !isStorable(value)) throw new Error('this text cannot be kept')
        return value
      })
    } catch {
      return undefined
    }
  }

  go(path: string, headers: Record<string, string> = {}): ServedAnswer {
    return { status: 303, headers: { ...this.#headers(), location: path, ...headers } }
  }

  reply(status: number, body: unknown): ServedAnswer {
    const headers = { ...this.#headers(), 'content-type': 'application/json; charset=utf-8' }
    return { status, headers, body: JSON.stringify(body) }
  }

  page(title: string, content: Part, status = 200): ServedAnswer {
    const { language, foot, notEncrypted } = this.words
    const theme = this.#theme === 'system' ? undefined : html` data-theme="${this.#theme}"`
    const isOpen = !isSecurePlace(this.call.origin)
    const page = html`<!doctype html>
<html lang="${language}"${theme}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - Wolke</title>
${new Html(iconLink)}
<link rel="stylesheet" href="/console/door/style.css">
<script src="/console/door/script.js" defer></script>
</head>
<body>
${sprite}
<div class="door"><main><span class="brand"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg><svg class="word" role="img" aria-label="Wolke"><use href="#word"/></svg></span>
${isOpen ? html`<p class="note" data-state="warn">${notEncrypted}</p>` : undefined}${content}
<p class="faint">${foot(this.door.version)}</p></main><aside>${chart}</aside></div>
</body>
</html>
`
    const headers = { ...this.#headers(), 'content-type': 'text/html; charset=utf-8', vary: 'accept-language, cookie' }
    return { status, headers, body: page.toString() }
  }

  /** A moment as the reader writes it, on the clock of the installation. */
  time(ms: number): string {
    return `${new Date(ms).toISOString().slice(11, 16)} UTC`
  }

  #headers(): Record<string, string | string[]> {
    return { ...safeHeaders(this.call.origin), ...(this.#cookies.length > 0 ? { 'set-cookie': this.#cookies } : {}) }
  }
}

function chosen<T extends string>({ headers }: ServedCall, name: string, known: readonly T[]): T | undefined {
  const value = readCookie(headers.cookie, name)
  return known.find((one) => one === value)
}

function languageOf(call: ServedCall): Language {
  const given = chosen(call, 'wolke_language', languages)
  if (given) return given
  const weights = readWeights(call.headers['accept-language'] ?? '')
  const weightOf = (language: string) =>
    Math.max(0, ...[...weights].flatMap(([name, weight]) => (name.split('-')[0] === language ? [weight] : [])))
  return weightOf('de') > weightOf('en') ? 'de' : 'en'
}

/** The first parts of the paths of the pages before the console, below `/console/`. */
export const doorPlaces = ['login', 'logout', 'setup', 'enter', 'reset', 'invite', 'door'] as const
/** Nobody is redirected to these: pages that act on the person who has just signed in, and what is no page. */
const closed: ReadonlySet<string> = new Set([...doorPlaces, 'api'])

/** A path of the console to go on to, and no other place; `/console` when the text is none. */
export function nextPath(text: string | null | undefined): string {
  const origin = 'http://console.invalid'
  if (!text?.startsWith('/console/') || !URL.canParse(text, origin)) return '/console'
  const { origin: led, pathname, search } = new URL(text, origin)
  const isOurs = led === origin && pathname.startsWith('/console/') && !text.includes('\\')
  return isOurs && !closed.has(placeIn(pathname)) ? pathname + search : '/console'
}

/** The part behind `/console/`, as the router reads it; `door` when it cannot be read. */
function placeIn(pathname: string): string {
  try {
    return decodeURIComponent(pathname).split('/')[2]!
  } catch {
    return 'door'
  }
}

// ---- Parts ---------------------------------------------------------------------------------------------------------

export interface FieldOptions {
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'email' | 'password'
  readonly value?: string | undefined
  readonly autocomplete: string
  readonly error?: string | undefined
  readonly hint?: string
  /** Filled with the fragment of the address by the script. */
  readonly isFragment?: boolean
}

export function field(options: FieldOptions): Html {
  const { name, label, type = 'text', value, autocomplete, error, hint, isFragment } = options
  const described = [...(hint ? [`${name}-h`] : []), ...(error ? [`${name}-e`] : [])].join(' ')
  const attributes = [
    ...(described ? [html` aria-describedby="${described}"`] : []),
    ...(error ? [new Html(' aria-invalid="true"')] : []),
    ...(isFragment ? [new Html(' data-fragment')] : []),
    ...(value === undefined ? [] : [html` value="${value}"`]),
  ]
  return html`<div class="field"><label for="${name}">${label}</label><input class="input" id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" autocapitalize="none" spellcheck="false" required${attributes}>${hint ? html`<p class="hint" id="${name}-h">${hint}</p>` : undefined}${error ? problem(error, `${name}-e`) : undefined}</div>
`
}

export function problem(text: string, id?: string): Html {
  const named = id === undefined ? new Html(' role="alert"') : html` id="${id}"`
  return html`<p class="error"${named}><svg class="sign" aria-hidden="true"><use href="#cx"/></svg>${text}</p>`
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

export function heading(title: string, text?: string): Html {
  return html`<div><h1>${title}</h1>${text === undefined ? undefined : html`<p class="dim">${text}</p>`}</div>
`
}

export function submit(label: string, isPrimary = true): Html {
  return html`<button type="submit" class="btn${isPrimary ? ' primary' : ''} wide">${label}</button>
`
}
