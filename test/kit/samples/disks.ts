/** Small file systems in memory that tests can fill. */
import { execFileSync } from 'node:child_process'
import { statfsSync, writeFileSync } from 'node:fs'
import type { TestContext } from 'node:test'

/** Mounts one on a directory until the test ends; skips the test and returns false without the permission to mount. */
export function mount(t: TestContext, path: string, options: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' })
  } catch {
    t.skip('mounting needs root')
    return false
  }
  t.after(() => execFileSync('umount', ['-l', path]))
  return true
}

/** Fills the file system of a file. */
export function fill(file: string): void {
  writeFileSync(file, '')
  for (const size of [2 ** 20, 4_096, 1]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
  const { bavail } = statfsSync(file)
  if (bavail !== 0) throw new Error(`the disk has ${bavail} blocks left`)
}
