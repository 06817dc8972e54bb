/** Metrics as a test reads them: their text, and single values in it. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { createDatabase, postgresUrl } from '../../../kit/database/postgres.ts'
import type { EngineName } from '../../../kit/engines.ts'
import type { Program, Served } from '../../kit/program.ts'

/** One value with its labels. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const line = /^(\w+)(?:\{(.*)\})? (\S+)$/
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g

export class Scraped {
  readonly text: string
  readonly samples: readonly Sample[]
  /** Names of all metrics, with or without values, as TYPE lines tell them. */
  readonly names: ReadonlySet<string>

  constructor(text: string) {
    this.text = text
    const lines = text.split('\n').filter((one) => one !== '' && !one.startsWith('#'))
    this.samples = lines.map((one) => {
      const [, name, labels = '', value] = line.exec(one) ?? assert.fail(`no sample: ${one}`)
      const pairs = [...labels.matchAll(label)].map(([, key, text]) => [key!, text!])
      return { name: name!, labels: Object.fromEntries(pairs), value: Number(value) }
    })
    this.names = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!))
  }

  /** The sum of all values of a name that have some labels; 0 without any. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const fits = (sample: Sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value)
    return this.samples.filter((one) => one.name === name && fits(one)).reduce((sum, { value }) => sum + value, 0)
  }

  /** Tells whether there is a value of a name. */
  has(name: string): boolean {
    return this.samples.some((one) => one.name === name)
  }
}

export async function scrape({ metricsUrl }: Pick<Served, 'metricsUrl'>): Promise<Scraped> {
  const response = await fetch(metricsUrl!)
  assert.equal(response.status, 200)
  return new Scraped(await response.text())
}

/** The option of a server with metrics. */
export const measured = ['--metrics-listen', '127.0.0.1:0']

/** The URL of a new database for a test. */
export async function newDatabase(t: TestContext, engine: EngineName, { folder }: Program): Promise<string> {
  if (engine === 'sqlite') return `sqlite:${folder}/${t.name.replace(/\W+/g, '-')}/wolke.db`
  const { url, drop } = await createDatabase(await postgresUrl())
  t.after(drop)
  return url
}
