/** The figures that are kept in the tree: for each class of machine, what each measure costs in requests to a bare server. */
import { readFileSync, writeFileSync } from 'node:fs'
import { arch, cpus } from 'node:os'

export type Figures = Readonly<Record<string, number>>
type AllFigures = Readonly<Record<string, Figures>>

/** Machines with the same figures, by their processors. */
export function machineClass(): string {
  const processors = cpus()
  return `${processors.length} x ${processors[0]?.model.trim() || 'unknown'}, ${arch()}`
}

/** Undefined for a class of machine that has none. */
export function figuresOf(file: string, machine: string): Figures | undefined {
  return read(file)[machine]
}

/** Writes the figures of a class of machine instead of those it has. */
export function keepFigures(file: string, machine: string, figures: Figures): void {
  const rounded = Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, Number(value.toPrecision(3))]),
  )
  const all = Object.entries({ ...read(file), [machine]: rounded }).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`)
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as AllFigures
