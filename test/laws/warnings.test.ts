/** docs/operating/warnings.md has every warning and error that the program logs, and none that it does not. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readSources, type Source, toSource } from './source.ts'

interface Logged {
  readonly level: 'warn' | 'error' | undefined
  /** The source of the argument that is the message. */
  readonly argument: string
  readonly path: string
}

/** Calls of a logger at these levels. */
const calls = /\b#?log\??\.(warn|error)\(|\blog\[level\]\(/g

/** The arguments of a call, as they are written; `open` is the place of its parenthesis. */
function argumentsAt({ bare, code }: Source, open: number): string[] {
  const found: string[] = []
  let [depth, from] = [0, open + 1]
  for (let at = open; ; at++) {
    const sign = bare[at]
    if (sign === undefined) throw new Error('a call has no end')
    if ('({['.includes(sign)) depth++
    else if (')}]'.includes(sign)) depth--
    const isOver = depth === 0
    if (!isOver && !(sign === ',' && depth === 1)) continue
    const text = code.slice(from, at).trim()
    if (text !== '') found.push(text)
    if (isOver) return found
    from = at + 1
  }
}

function loggedIn(source: Source): Logged[] {
  return [...source.bare.matchAll(calls)].map(({ index, 0: call, 1: level }) => {
    const argument = argumentsAt(source, index + call.length - 1).at(-1)!
    return { level: level as Logged['level'], argument, path: source.path }
  })
}

/** The text of a literal; undefined for anything else. */
const literal = (argument: string) => /^(['"`])([\s\S]*)\1$/.exec(argument)?.[2]

/**
 * Messages that are handed to whoever logs them: where they are logged, and how they are handed there. A constant is
 * found by its name.
 */
const handedOn: readonly { readonly at: string; readonly from: RegExp; readonly by: RegExp }[] = [
  { at: 'commands/serve.ts: ofOneProcess', from: /^commands\/serve\.ts$/, by: /\bofOneProcess\s*=()/g },
  { at: 'drivers/storage/open.ts: warning', from: /^drivers\/storage\/open\.ts$/, by: /\bunconfinedWarning\s*=()/g },
  {
    at: 'drivers/hosts/balancers/driver.ts: trouble',
    from: /^drivers\/hosts\/balancers\/driver\.ts$/,
    by: /this\.#beside\(\w+, /g,
  },
  {
    at: 'drivers/load-balancers/haproxy/haproxy.ts: trouble',
    from: /^drivers\/load-balancers\/haproxy\/haproxy\.ts$/,
    by: /this\.#try\(\w+, /g,
  },
  {
    at: 'drivers/hosts/open.ts: message',
    from: /^(drivers\/hosts|protocols\/ovsdb)\//,
    by: /\blog(?:\?\.)?\((?=['"`])/g,
  },
  {
    at: 'drivers/load-balancers/embedded/embedded.ts: message',
    from: /^drivers\/load-balancers\/embedded\//,
    by: /report\([^,()]*(?:'(?:warn|error)'), |\bmessage = (?=`)/g,
  },
  {
    at: 'drivers/storage/storage.ts: message',
    from: /^drivers\/storage\/doors\//,
    by: /report\((?=['"`])|(?<=what = 'key' in asked \? ('[^']*' : )?)(?=')/g,
  },
]

/** The literals behind what hands messages on, joined where several are added. */
function handedIn(sources: readonly Source[]): string[] {
  return handedOn.flatMap(({ from, by, at }) => {
    const found = sources.filter(({ path }) => from.test(path)).flatMap(({ code }) => textsBehind(code, by))
    assert.ok(found.length > 0, `nothing is handed to ${at}`)
    return found
  })
}

function textsBehind(code: string, by: RegExp): string[] {
  return [...code.matchAll(by)].flatMap(({ index, 0: hand }) => {
    const rest = code.slice(index + hand.length)
    const texts = /^\s*(?:(['"`])(?:(?!\1)[\s\S])*\1(?:\s*\+\s*)?)+/.exec(rest)?.[0]
    return texts === undefined
      ? []
      : [[...texts.matchAll(/(['"`])((?:(?!\1)[\s\S])*)\1/g)].map(([, , text]) => text).join('')]
  })
}

/** A message that says one of two things. */
function bothWays(text: string): string[] {
  const choice = /\$\{\w+ \? '([^']*)' : '([^']*)'\}/.exec(text)
  return choice ? [text.replace(choice[0], choice[1]!), text.replace(choice[0], choice[2]!)] : [text]
}

const sources = readSources()
const logged = sources.flatMap(loggedIn)

interface Row {
  readonly message: string
  readonly level: string
  readonly cells: readonly string[]
}

const page = readFileSync(new URL('../../docs/operating/warnings.md', import.meta.url), 'utf8')
const rows = [...page.matchAll(/^\| `(.+?)` \| (warn|error) \|(.+)\|$/gm)].map(([, message, level, rest]): Row => {
  return { message: message!, level: level!, cells: rest!.split(' | ').map((cell) => cell.trim()) }
})

test('every warning and error of the program is on the page, and no other', () => {
  const texts = logged.flatMap(({ argument }) => literal(argument) ?? [])
  const all = [...texts, ...handedIn(sources)].flatMap(bothWays)
  assert.deepEqual(rows.map(({ message }) => message).sort(), [...new Set(all)].sort())
})

test('a message that is no literal is handed on in a way that is known', () => {
  const others = logged.flatMap(({ argument, path }) =>
    literal(argument) === undefined ? [`${path}: ${argument}`] : [],
  )
  assert.deepEqual([...new Set(others)].sort(), handedOn.map(({ at }) => at).sort())
})

test('the page says at which level each is logged, what it means and what to do', () => {
  for (const { message, level, cells } of rows) {
    assert.equal(cells.length, 2, message)
    for (const cell of cells) assert.match(cell, /[.]$/, message)
    const levels = logged.filter(({ argument }) => literal(argument) === message).map((one) => one.level)
    assert.ok(
      levels.every((one) => one === level),
      `${message} is logged at ${levels}`,
    )
  }
})

test('a warning that somebody adds is found', () => {
  const planted = toSource(
    'a.ts',
    "this.#options.log.warn({ err, of: [1, 2] }, 'planted')\nlog.error('alone',)\nlog.info('no')",
  )
  assert.deepEqual(
    loggedIn(planted).map(({ level, argument }) => [level, literal(argument)]),
    [
      ['warn', 'planted'],
      ['error', 'alone'],
    ],
  )
})
