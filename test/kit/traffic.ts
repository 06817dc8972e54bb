/** Random requests, made from what the families' proofs say of them (proof.ts: Traffic). */
import type { Answer } from './harness.ts'
import type { Draw, RandomBody, Shown, Traffic } from './proof.ts'
import { proofs } from './proofs.ts'

/** A request that is ready to be sent. */
export interface RandomRequest {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

/** A kind of request, such as `PUT /servers/{servers}`. */
export interface RequestKind {
  readonly name: string
  readonly family: string
  readonly isCreation: boolean
  /** Returns undefined when a resource that it needs is not there. */
  make(draw: Draw): Promise<RandomRequest | undefined>
}

/** How requests choose; `any` returns undefined when there is no such resource. */
export interface Choice {
  number(limit: number): number
  any(family: string): Promise<Shown | undefined>
  /** The list of parts at a path; those who cannot read it send no requests about parts. */
  parts?(path: string): Promise<readonly Shown[]>
}

export const traffic: ReadonlyMap<string, Traffic> = new Map(
  [...proofs].flatMap(([family, proof]) => (proof.traffic ? [[family, proof.traffic]] : [])),
)

export const requestKinds: readonly RequestKind[] = [...traffic].flatMap(([family, { requests }]) =>
  Object.entries(requests).map(([name, body]) => ({
    name,
    family,
    isCreation: name === `POST /${family}`,
    make: (draw: Draw) => unlessMissing(() => make(draw, name, body)),
  })),
)

/** The families whose resources the requests of a family name. */
export function familiesNamedBy(family: string): string[] {
  const names = Object.keys(traffic.get(family)!.requests).join(' ')
  return [...new Set([...names.matchAll(/\{(\w+)\}/g)].map(([, named]) => named!))]
}

/** The resources that an answer shows, with their families. */
export function resourcesIn({ body }: Pick<Answer, 'body'>): { family: string; resource: Shown }[] {
  return [...traffic].flatMap(([family, { kind }]) =>
    body?.[kind]?.id === undefined ? [] : [{ family, resource: body[kind] }],
  )
}

class Missing extends Error {}

export function drawing({ number, any, parts }: Choice): Draw {
  return {
    number,
    oneOf: (items) => items[number(items.length)]!,
    async any(family) {
      const found = await any(family)
      if (!found) throw new Missing(family)
      return found
    },
    async part(path) {
      const all = (await parts?.(path)) ?? []
      if (all.length === 0) throw new Missing(path)
      return all[number(all.length)]!
    },
  }
}

async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Missing) return undefined
    throw error
  }
}

const additions = [...traffic.values()].flatMap(({ adds = {} }) => Object.entries(adds))

async function make(draw: Draw, name: string, body: RandomBody): Promise<RandomRequest> {
  const [method, template] = name.split(' ') as [string, string]
  let [path, target] = [template, { id: 0 } as Shown]
  for (const [placeholder, family] of template.matchAll(/\{(\w+)\}/g)) {
    target = await draw.any(family!)
    path = path.replace(placeholder, String(target.id))
  }
  for (const [placeholder] of template.matchAll(/\{\.\w+\}/g)) {
    target = await draw.part(path.slice(0, path.indexOf(placeholder) - 1))
    path = path.replace(placeholder, String(target.id))
  }
  const own = await body(draw, target)
  const parts: unknown[] = [own]
  for (const [to, add] of additions) {
    if (to === name && draw.number(3) === 0) parts.push(await unlessMissing(() => add(draw)))
  }
  return { method, path, body: own === undefined ? undefined : Object.assign({}, ...parts) }
}

/** The parts in the body of the list at a path such as `/servers/7/disks`; none when the whole is gone. */
export function partsIn(path: string, body: Answer['body']): readonly Shown[] {
  return body?.[path.slice(path.lastIndexOf('/') + 1)] ?? []
}
