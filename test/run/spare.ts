/** Whether the cores of this machine have time to spare. */
import { cpus } from 'node:os'

/** Returns what share of their time the cores have had nothing to do since it was last called, between 0 and 1. */
export function watchCores(): () => number {
  let before = times()
  return () => {
    const now = times()
    const share = (now.idle - before.idle) / Math.max(1, now.all - before.all)
    before = now
    return share
  }
}

function times(): { readonly idle: number; readonly all: number } {
  let [idle, all] = [0, 0]
  for (const { times } of cpus()) {
    idle += times.idle
    all += times.user + times.nice + times.sys + times.idle + times.irq
  }
  return { idle, all }
}
