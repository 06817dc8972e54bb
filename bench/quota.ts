/** Holds processes to a part of a processor, so that several and what they share fit on a small machine. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const periodUs = 10_000

/** Where Linux has the controller of processor time, in its second version and in its first, and what it is told. */
const controllers = [
  { mount: '/sys/fs/cgroup', settings: (quotaUs: number) => ({ 'cpu.max': `${quotaUs} ${periodUs}` }) },
  {
    mount: '/sys/fs/cgroup/cpu',
    settings: (quotaUs: number) => ({ 'cpu.cfs_period_us': `${periodUs}`, 'cpu.cfs_quota_us': `${quotaUs}` }),
  },
]

/**
 * Holds a process to `share` of one processor. What it returns ends that, once the process has ended; undefined where the
 * system cannot, or this user may not.
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
      // It is there for other controllers only.
      end()
    }
  }
  return undefined
}
