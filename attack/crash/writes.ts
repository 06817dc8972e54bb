/** The writes that the attack sends, and what resources show, as the proofs of all families say it. */
import type { CrashRow, State } from '../../test/kit/crash.ts'
import type { Client } from '../../test/kit/harness.ts'
import type { Shown } from '../../test/kit/proof.ts'
import { proofs } from '../../test/kit/proofs.ts'
import { rowOf } from '../../test/kit/requests.ts'

/** A kind of write, such as `POST /servers/{servers}/actions/reboot`. */
export interface WriteKind {
  readonly name: string
  readonly method: string
  /** Its path, in which `{servers}` stands for the server. */
  readonly path: string
  /** The family of the resource that its path names; undefined when it names none. */
  readonly target: string | undefined
  /** The family that has it in its proof. */
  readonly family: string
  /** The codes with which it may be refused because of what there is. */
  readonly refusals: ReadonlySet<string>
  readonly row: CrashRow
}

const proven = [...proofs].flatMap(([family, { crash }]) => (crash ? [{ family, crash }] : []))

export const writeKinds: readonly WriteKind[] = proven.flatMap(({ family, crash }) =>
  Object.entries(crash.writes).map(([name, row]) => {
    const [method, path] = name.split(' ') as [string, string]
    const target = /\{(\w+)\}/.exec(path)?.[1]
    return { name, method, path, target, family, refusals: new Set(rowOf(name).endpoint.errors), row }
  }),
)

const shows = Map.groupBy(
  proven.flatMap(({ crash }) => Object.entries(crash.shows)),
  ([family]) => family,
)

/** The families whose resources writers have. */
export const writtenFamilies: readonly string[] = [...shows.keys()]

/** The write that makes resources of a family: the first of its proof. */
export function makerOf(family: string): WriteKind {
  return writeKinds.find((kind) => kind.family === family)!
}

/** What a resource shows; undefined when it comes and goes with another one. */
export async function stateOf(family: string, shown: Shown, api: Client): Promise<State | undefined> {
  const parts = await Promise.all(shows.get(family)!.map(([, show]) => show(shown, api)))
  return parts.includes(undefined) ? undefined : Object.assign({}, ...parts)
}
