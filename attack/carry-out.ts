/** Runs one attack and cleans up after it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Workshop } from '../bench/processes.ts'
import type { EngineName } from '../test/kit/harness.ts'
import { type Attack, Context, type Finding, type Scale } from './attack.ts'

export interface Circumstances {
  readonly database: EngineName
  readonly seed: number
  readonly scale: Scale
  readonly log: (line: string) => void
  /** The server program, instead of the bundle or the sources. */
  readonly program?: string
}

const open = new Set<Workshop>()

/** Throws what the attack throws. */
export async function carryOut(attack: Attack, { program, ...circumstances }: Circumstances): Promise<Finding[]> {
  // /tmp may be in memory, where waiting for the disk costs nothing.
  const directory = mkdtempSync(join(import.meta.dirname, '../node_modules/.attack-'))
  const workshop = program ? new Workshop(directory, program) : new Workshop(directory)
  open.add(workshop)
  try {
    return await attack.run(new Context({ ...circumstances, name: attack.name, workshop }))
  } finally {
    await clear(workshop)
  }
}

async function clear(workshop: Workshop): Promise<void> {
  open.delete(workshop)
  await workshop.close()
  rmSync(workshop.directory, { recursive: true, force: true })
}

/** Ends everything that runs, for an interrupted run. */
export async function clearAll(): Promise<void> {
  for (const workshop of [...open]) await clear(workshop)
}
