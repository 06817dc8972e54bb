/** The report on what a command did in its cloud. */
import { accessSync, constants, statSync, writeFileSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { timestamp } from '../../kernel/process/clock.ts'
import { failures, parseAssertions } from '../../lab/report/assertions.ts'
import type { Report } from '../../lab/report/schema.ts'
import { toText } from '../../lab/report/text.ts'
import { askLab } from '../asking.ts'
import type { Wolke } from '../wolke.ts'

/** The form of a report in a file, by the ending of its name. */
const forms: Readonly<Record<string, string>> = { '.json': 'application/json', '.xml': 'application/xml' }

/** Errors: `InvalidArgumentError`. */
export function checkedAssertions(text: string): string {
  try {
    return parseAssertions(text).join(',') || 'none'
  } catch (problem) {
    throw new InvalidArgumentError(String(problem))
  }
}

/** Errors: `InvalidArgumentError` for a file that cannot be written, before a command runs whose report it would have. */
export function checkedFile(path: string): string {
  try {
    accessSync(dirname(resolve(path)), constants.W_OK)
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`${path} is a folder`)
    return path
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}

/** The file of a report on a run that began at a time: `report-2027-04-01.json`. */
export function dated(path: string, atMs: number): string {
  const ending = extname(path)
  return `${path.slice(0, path.length - ending.length)}-${timestamp(atMs).slice(0, 10)}${ending}`
}

interface Wanted {
  /** Assertions, separated by commas. */
  readonly failOn?: string | undefined
  readonly file?: string | undefined
}

/** The requests of a command, from its start. */
export class Reports {
  readonly #cloud: Wolke
  readonly #run: number

  private constructor(cloud: Wolke, run: number) {
    this.#cloud = cloud
    this.#run = run
  }

  static async begin(cloud: Wolke): Promise<Reports> {
    const { run } = JSON.parse(await askLab(cloud, 'POST', '/runs', { body: { name: 'wolke exec' } })) as {
      run: { id: number }
    }
    return new Reports(cloud, run.id)
  }

  /** Shows the report of who asked for anything, or writes it into a file. Returns true when an assertion is broken. */
  async tell({ failOn = 'none', file }: Wanted): Promise<boolean> {
    const path = `/runs/${this.#run}`
    await askLab(this.#cloud, 'POST', `${path}/end`)
    const paths = { har: `${path}/har`, report: `${path}/report?fail_on=${encodeURIComponent(failOn)}` }
    const { report } = JSON.parse(await askLab(this.#cloud, 'GET', paths.report)) as { report: Report }
    if (file !== undefined) await this.#write(file, paths)
    else if (report.requests > 0) console.error(`\n${toText(report).trimEnd()}`)
    const broken = failures(report)
    for (const { assertion, found } of broken) {
      for (const line of found) console.error(`wolke: ${assertion}: ${line}`)
    }
    return broken.length > 0
  }

  async #write(file: string, { har, report }: { readonly har: string; readonly report: string }): Promise<void> {
    const ending = extname(file)
    const accept = forms[ending] ?? 'text/plain'
    writeFileSync(file, await askLab(this.#cloud, 'GET', ending === '.har' ? har : report, { accept }))
  }
}
