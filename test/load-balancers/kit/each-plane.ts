/** Defines tests for each data plane, and runs those of HAProxy in a network namespace of their own. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { after, before, describe, type TestContext, test } from 'node:test'
import { skipWithout } from '../../clients/kit/clients.ts'
import { embeddedSite, haproxySite, inNamespace, missing, Plane } from './planes.ts'

/** Names the plane that a process tests alone, because it has the network for it. */
const PLANE_VARIABLE = 'WOLKE_TEST_PLANE'
const runner = ['--test', '--test-isolation=none', '--test-reporter=spec'] as const

/**
 * Defines tests for each plane. Those of HAProxy are one test for whoever runs the file: it runs the file once more in
 * a network namespace, and says what failed there.
 */
export function onEachPlane(title: string, file: string, define: (plane: Plane) => void): void {
  if (process.env[PLANE_VARIABLE] === 'haproxy') {
    onPlane(title, new Plane(haproxySite()), define)
    return
  }
  describe(title, { concurrency: true }, () => {
    onPlane(title, new Plane(embeddedSite()), define)
    test(`${title}, on haproxy`, (t) => runInNamespace(t, file))
  })
}

function onPlane(title: string, plane: Plane, define: (plane: Plane) => void): void {
  describe(`${title}, on ${plane.site.name}`, { concurrency: true }, () => {
    before(() => plane.open())
    after(() => plane.close())
    define(plane)
  })
}

async function runInNamespace(t: TestContext, file: string): Promise<void> {
  const reason = await missing()
  if (reason) return skipWithout(t, reason)
  const [program, ...args] = [...inNamespace, process.execPath, ...runner, file] as const
  // Node.js would take the test runner of the child for one of its own.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(program, args, {
    env: { ...env, [PLANE_VARIABLE]: 'haproxy' },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal: t.signal,
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const output = await text(child.stdout)
  assert.equal(await ended, 0, output)
}
