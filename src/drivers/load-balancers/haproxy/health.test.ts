import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Health } from '../../../families/load-balancers/driver.ts'
import { failuresAmong, healthOfAll } from './health.ts'
import { type CheckRow, parseChecks, parseCounters, parseProcesses } from './statistics.ts'

const row: CheckRow = { listenPort: 80, address: '10.0.0.2', status: 'DOWN', check: 'L7OK', code: 200, message: '' }
const healthOf = (more: Partial<CheckRow>, before: Partial<CheckRow>[] = []): Health => {
  let known = {}
  for (const one of before) known = failuresAmong([{ ...row, ...one }], known)
  return healthOfAll([{ ...row, ...more }], known)[0]!.health
}
const unhealthy = (detail: string, httpStatusCode: number | null = null) => ({
  status: 'unhealthy',
  detail,
  httpStatusCode,
})
const content = { check: 'L7STS', code: 200, message: 'wolke-content' }
const lost = { check: 'L7STS', code: null, message: '' }

describe('the health of a target', () => {
  const cases: [string, Partial<CheckRow>, object][] = [
    ['a port that is closed', { check: 'L4CON' }, unhealthy('layer4_no_connection')],
    ['no answer to a connection', { check: 'L4TOUT' }, unhealthy('layer4_timeout')],
    ['silence', { check: 'L7TOUT' }, unhealthy('layer7_timeout')],
    ['another status', { check: 'L7STS', code: 500 }, unhealthy('unexpected_http_status', 500)],
    ['another text', content, unhealthy('unexpected_http_content')],
    ['no HTTP', { check: 'L7RSP', code: null }, unhealthy('unspecified')],
    ['a reset', { check: 'SOCKERR', code: null }, unhealthy('unspecified')],
    ['no TLS', { check: 'L6RSP', code: null }, unhealthy('unspecified')],
    ['a first failure of many', { status: 'UP 1/3', check: 'L4CON' }, { status: 'healthy' }],
    ['no check so far', { status: 'UP', check: 'INI' }, { status: 'unknown' }],
  ]
  for (const [what, seen, expected] of cases) {
    test(`after ${what}`, () => assert.deepEqual(healthOf(seen), expected))
  }

  test('keeps the last failure while it recovers', () => {
    assert.deepEqual(healthOf({ status: 'DOWN 1/2' }, [{ check: 'L4CON' }]), unhealthy('layer4_no_connection'))
  })

  test('keeps what a reload has lost', () => {
    const status = { check: 'L7STS', code: 503 }
    assert.deepEqual(healthOf(lost, [status]), unhealthy('unexpected_http_status', 503))
    assert.deepEqual(healthOf(lost, [content]), unhealthy('unexpected_http_content'))
    assert.deepEqual(healthOf(lost, [content, lost]), unhealthy('unexpected_http_content'))
  })

  test('forgets a failure when it is over', () => {
    assert.deepEqual(healthOf(lost, [content, { status: 'UP' }]), unhealthy('unspecified'))
  })
})

describe('what HAProxy says', () => {
  const head = '# pxname,svname,scur,stot,req_tot,bin,bout,status,check_status,check_code,last_chk,'

  test('is added up for the services, and read for each target', () => {
    const lines = [
      head,
      'service_80,FRONTEND,1,2,3,4,5,OPEN,,,,',
      'service_443,FRONTEND,10,20,30,40,50,OPEN,,,,',
      'targets_80_ab,10.0.0.2,0,0,0,0,0,DOWN,* L7STS,500,"a ""b"", c",',
      'targets_80_ab,BACKEND,0,0,0,0,0,UP,,,,',
    ]
    const text = lines.join('\n')
    assert.deepEqual(parseCounters(text), {
      openConnections: 11,
      connections: 22,
      requests: 33,
      ingoing: 44,
      outgoing: 55,
    })
    assert.deepEqual(parseChecks(text), [{ ...row, check: 'L7STS', code: 500, message: 'a "b", c' }])
  })

  test('that is something else is an error', () => {
    assert.throws(() => parseChecks('Unknown command'), /Unknown command/)
    assert.throws(() => parseProcesses(''), /answers/)
  })

  test('tells the worker from those that are about to end', () => {
    const text = [
      '#<PID>          <type>          <reloads>       <uptime>        <version>',
      '100             master          3 [failed: 1]   0d00h02m07s     2.6.12',
      '# workers',
      '103             worker          0               0d00h00m00s     2.6.12',
      '# old workers',
      '101             worker          2               0d00h00m43s     2.6.12',
      '102             worker          1               0d00h00m43s     2.6.12',
      '# programs',
    ]
    const expected = { master: 100, worker: 103, oldWorkers: [101, 102], failedReloads: 1 }
    assert.deepEqual(parseProcesses(text.join('\n')), expected)
  })
})
