/** Reads what the program in a container prints, as HAProxy 2.6 does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseReport } from './report.ts'

const head = '# pxname,svname,scur,stot,bin,bout,status,check_status,check_code,req_tot,last_chk\n'
const worker = (name: string, open: number, bytes: number) => `--- ${name}
${head}service_80,FRONTEND,${open},7,${bytes},900,OPEN,,,5,
targets_80_1a2b3c4d,10.0.0.9,0,0,0,0,DOWN,L4CON,,0,Connection refused
targets_80_1a2b3c4d,BACKEND,0,0,0,0,DOWN,,,0,

`

test('a report has the state, what the newest worker says of targets, and what each has counted', () => {
  const report = parseReport(`4\n${worker('worker 30', 2, 100)}${worker('old 20', 1, 50)}--- end\n`)
  assert.equal(report.generation, 4)
  const [check] = report.checks ?? []
  assert.deepEqual([check?.listenPort, check?.address, check?.status], [80, '10.0.0.9', 'DOWN'])
  assert.deepEqual(Object.keys(report.counters), ['20', '30'])
  assert.equal(report.counters[30]?.ingoing, 100)
  assert.equal(report.counters[20]?.openConnections, 1)
})

test('a report without workers knows no targets, and one that ends meanwhile is left out', () => {
  assert.deepEqual(parseReport('0\n'), { generation: 0, checks: undefined, counters: {} })
  const report = parseReport(`3\n${worker('worker 30', 2, 100)}--- old 20\nNo such worker\n--- end\n`)
  assert.deepEqual(Object.keys(report.counters), ['30'])
})

test('anything else is no report', () => {
  assert.throws(() => parseReport('sh: 1: Syntax error'), /reports "sh: 1/)
})
