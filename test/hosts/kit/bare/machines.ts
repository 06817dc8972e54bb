/** Bare machines in the lab of a run, in which nothing is installed yet, and the package for Debian. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { type BareHost, type BareOptions, startBareHosts } from '../../../../lab/bare/hosts.ts'
import { makePackage } from '../../../packages/kit/machine.ts'
import { build } from '../../../run/built.ts'
import { theLab } from '../cluster.ts'

/** Starts machines that end with a test. A lab has those of one test at a time. */
export async function bareHosts(
  t: TestContext,
  count: number,
  options: BareOptions = {},
): Promise<readonly BareHost[]> {
  const { name, folder } = theLab()
  const { hosts, end } = await startBareHosts(name, folder, count, options)
  t.after(end)
  return hosts
}

let made: string | undefined

/** Copies the package of Wolke to machines, as /root/wolke.deb. */
export async function giveWolke(hosts: readonly BareHost[]): Promise<void> {
  if (made === undefined) {
    await build()
    made = makePackage(mkdtempSync(join(tmpdir(), 'wolke-bare-')))
    process.once('exit', () => rmSync(dirname(made!), { recursive: true, force: true }))
  }
  for (const { root } of hosts) copyFileSync(made, join(root, 'root/wolke.deb'))
}
