/**
 * Which operations of the API browsers drive in the tests of the console: those that change something and succeed,
 * compared with driven.json.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterEach, test } from 'node:test'
import { allEndpoints, ownEndpoints } from '../../../src/pages/openapi.ts'
import { noChromium } from './chromium.ts'

/** Operations by the test that drives them. */
export type Driven = Readonly<Record<string, readonly string[]>>

const file = join(import.meta.dirname, 'driven.json')

/** What driven.json says. */
export function readDriven(): Driven {
  return JSON.parse(readFileSync(file, 'utf8')) as Driven
}

/** What is literal comes before what a parameter would take. */
const patterns = [...allEndpoints(), ...ownEndpoints()]
  .map(({ family, base, key, endpoint: { method, path } }) => ({
    operation: `${family}_${key}`,
    request: `${method} ${base}${path}`,
  }))
  .sort((a, b) => a.request.split('{').length - b.request.split('{').length)
  .map(({ operation, request }) => ({
    operation,
    pattern: new RegExp(`^${request.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))

/** Operations that a browser has driven with success in this process. */
const seen = new Set<string>()

/** Whether a test of this process failed, so that what it was to drive is missing. */
let hasFailed = false
afterEach((context) => {
  hasFailed ||= 'passed' in context && !context.passed
})

/** Notes that a browser sent a request with success. */
export function noteDriven(method: string, url: string): void {
  const path = new URL(url).pathname.replace(/^\/console\/api(\/projects\/\d+(?=\/(wolke\/)?v1\/))?/, '')
  const operation = patterns.find(({ pattern }) => pattern.test(`${method} ${path}`))?.operation
  if (operation !== undefined && method !== 'GET') seen.add(operation)
}

/**
 * Declares the last test of a file: its browsers have driven what driven.json says. When another test has failed, that
 * failure is told alone: the run repeats it by itself, where nobody drives the rest. With WOLKE_TEST_NOTE_DRIVEN=1 it
 * writes that instead.
 */
export function drivesWhatIsSaid(path: string): void {
  const name = relative(join(import.meta.dirname, '..'), path)
  test('drives the operations that driven.json says', { skip: noChromium ?? false }, () => {
    const said = readDriven()
    if (process.env.WOLKE_TEST_NOTE_DRIVEN === '1') {
      const all = Object.entries({ ...said, [name]: [...seen].sort() }).sort()
      writeFileSync(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`)
      return
    }
    if (hasFailed) return
    const missing = (said[name] ?? []).filter((operation) => !seen.has(operation))
    assert.deepEqual(missing, [], 'WOLKE_TEST_NOTE_DRIVEN=1 writes driven.json anew')
  })
}
