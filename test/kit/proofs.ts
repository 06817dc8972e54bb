/** The proofs of all families, found in their directories, so that a new family needs no entry here. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { families } from '../../src/families.ts'
import type { SpecRows } from '../walks/spec/rows.ts'
import type {
  ActionScenarios,
  ErrorScenario,
  ErrorScenarios,
  NoEndpoints,
  Proof,
  References,
  Samples,
} from './proof.ts'

const root = join(import.meta.dirname, '../../src')

/** Proofs by the path of the family, such as `firewalls`; includes directories without endpoints, such as addresses. */
export const proofs: ReadonlyMap<string, Proof<NoEndpoints>> = new Map(
  await Promise.all(
    globSync('{families,kernel}/*/proof.ts', { cwd: root })
      .sort()
      .map(async (path): Promise<[string, Proof<NoEndpoints>]> => {
        const { proof } = (await import(join(root, path))) as { proof: Proof<NoEndpoints> }
        return [path.split('/').at(-2)!.replaceAll('-', '_'), proof]
      }),
  ),
)

for (const { name } of families) {
  if (!proofs.get(name)?.samples) throw new Error(`the proof.ts of ${name} has no samples`)
}

const all = [...proofs.values()]

/** Samples by family. */
export const samples: Readonly<Record<string, Samples>> = Object.fromEntries(
  [...proofs].flatMap(([name, proof]) => (proof.samples ? [[name, proof.samples]] : [])),
)

export const references: References = merged(all.map((proof) => proof.references))

export const actionScenarios: ActionScenarios = merged(all.map((proof) => proof.actions))

/** Scenarios by endpoint and code: several families may have errors at the same endpoint. */
export const errorScenarios: ErrorScenarios = Object.fromEntries(
  [
    ...Map.groupBy(
      all.flatMap(({ errors = {} }) => Object.entries(errors)),
      ([endpoint]) => endpoint,
    ),
  ].map(([endpoint, some]) => [endpoint, merged<ErrorScenario>(some.map(([, codes]) => codes))]),
)

/** Rows of one kind of spec table, of all families. */
export function specRows<Kind extends keyof SpecRows>(kind: Kind): NonNullable<SpecRows[Kind]>[number][] {
  return all.flatMap(({ spec }) => [...(spec?.[kind] ?? [])]) as NonNullable<SpecRows[Kind]>[number][]
}

/** Merges records. Throws when two of them have the same key. */
function merged<T>(records: readonly (Readonly<Record<string, T>> | undefined)[]): Record<string, T> {
  const result: Record<string, T> = {}
  for (const [key, value] of records.flatMap((record) => Object.entries(record ?? {}))) {
    if (Object.hasOwn(result, key)) throw new Error(`two proofs have an entry for ${key}`)
    result[key] = value
  }
  return result
}
