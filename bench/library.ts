/** Measures clouds in the process of who uses the library: their start, and a suite of tests that each have a fork. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { publicBase } from '../src/kernel/contract/bases.ts'
import type { Wolke } from '../src/library/wolke.ts'
import { token, type Workshop } from './processes.ts'
import { median, type Row } from './report.ts'
import type { Effort } from './rounds.ts'

const bundle = join(import.meta.dirname, '../dist/library.js')
const sources = join(import.meta.dirname, '../src/library/library.ts')

/** Each test of the suite makes so many resources. */
const resources = 20
const tests = 100
/** A process takes so long to start that a few stand for all. */
const testsInProcesses = 10

export async function library(workshop: Workshop, { rounds }: Effort): Promise<Row[]> {
  const { startWolke } = (await import(
    existsSync(bundle) ? bundle : sources
  )) as typeof import('../src/library/wolke.ts')
  // The first one loads the program.
  await (await startWolke()).close()
  const starts: number[] = []
  for (let round = 0; round < rounds * 5; round++) {
    const begun = performance.now()
    const cloud = await startWolke()
    starts.push(performance.now() - begun)
    await cloud.close()
  }
  const started = median(starts)
  await using cloud = await startWolke()
  const forked = await timeOf(tests, () => testInFork(cloud))
  const processes = await timeOf(testsInProcesses, () => testInProcess(workshop))
  const ratio = processes / forked
  return [
    { name: 'startWolke, warm', unit: 'ms', wolke: started, bar: { text: '<= 100 ms', met: started <= 100 } },
    {
      ...{ name: 'a test with a fork', unit: 'ms', wolke: forked, bare: processes, ratio: forked / processes },
      bar: { text: 'a process takes 10 times as long', met: ratio >= 10 },
      note: `${resources} resources each; bare: a process each`,
    },
  ]
}

/** The time of one of `count` tests, one after the other, in milliseconds. */
async function timeOf(count: number, test: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  for (let at = 0; at < count; at++) await test()
  return (performance.now() - begun) / count
}

async function testInFork(of: Wolke): Promise<void> {
  await using cloud = await of.fork()
  await makeAll(cloud.fetch, cloud.url, cloud.token)
}

async function testInProcess(workshop: Workshop): Promise<void> {
  const more = ['--dns-listen', '127.0.0.1:0', '--metadata-listen', '127.0.0.1:0']
  const server = await workshop.serve('memory', { more })
  await makeAll(fetch, server.url + publicBase, token)
  await server.stop()
}

async function makeAll(fetch: typeof globalThis.fetch, url: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  for (let at = 0; at < resources; at++) {
    const body = JSON.stringify({ name: `test-${at}` })
    const reply = await fetch(`${url}/firewalls`, { method: 'POST', headers, body })
    if (reply.status !== 201) throw new Error(await reply.text())
    await reply.arrayBuffer()
  }
}
