/** Limits processes to a share of a processor, so that several of them and PostgreSQL fit on a small machine. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const periodUs = 10_000

/** The files of the Linux CPU controller in cgroup v2 and v1, and the values to write. */
const controllers = [
  { mount: '/sys/fs/cgroup', settings: (quotaUs: number) => ({ 'cpu.max': `${quotaUs} ${periodUs}` }) },
  {
    mount: '/sys/fs/cgroup/cpu',
    settings: (quotaUs: number) => ({ 'cpu.cfs_period_us': `${periodUs}`, 'cpu.cfs_quota_us': `${quotaUs}` }),
  },
]

/**
 * Limits a process to `share` of one processor. Returns a function that removes the limit after the process has ended,
 * or undefined when the system or its permissions do not allow limits.
 */
export function hold(pid: number, share: number): (() => void) | undefined {
  for (const { mount, settings } of controllers) {
    if (!existsSync(join(mount, 'cgroup.procs'))) continue
    const group = join(mount, `wolke-bench-${pid}`)
    try {
      mkdirSync(group)
    } catch {
      continue
    }
    const end = () => rmdirSync(group)
    try {
      for (const [name, value] of Object.entries(settings(Math.round(periodUs * share)))) {
        writeFileSync(join(group, name), value, { flag: 'r+' })
      }
      writeFileSync(join(group, 'cgroup.procs'), `${pid}`)
      return end
    } catch {
      // This hierarchy exists for other controllers only.
      end()
    }
  }
  return undefined
}
