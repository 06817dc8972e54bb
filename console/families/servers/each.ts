/** Doing the same to many servers. */
import { wordsFor } from '../../ui/failure.tsx'
import { toast } from '../../ui/toasts.ts'
import { serverDialogs as w } from './dialogs.words.ts'
import type { Server } from './server.ts'

const atOnce = 6

/** The result of an act on one of many servers. */
export interface Result {
  readonly server: Server
  /** The reason it stayed as it was. */
  readonly problem?: string
  /** True when there was nothing to do. */
  readonly isSkipped?: boolean
}

type Act = (server: Server) => Promise<unknown>
/** Says why there is nothing to do for one. */
export type Skip = ((server: Server) => string | undefined) | undefined

/** Does the same to all servers, and tells what came of each when it is not the same for all. */
export type Each = (servers: readonly Server[], act: Act, skip?: Skip) => Promise<void>

/** Does it to a few at a time. Returns what came of each of many of which some failed. */
export async function toEach(
  outdate: (family: string) => Promise<void>,
  servers: readonly Server[],
  act: Act,
  skip?: Skip,
): Promise<readonly Result[]> {
  const found = new Map<number, Result>()
  const queue = [...servers]
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) found.set(next.id, await tried(next, act, skip))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  await outdate('servers')
  const all = servers.map(({ id }) => found.get(id)!)
  const failed = all.filter(({ problem }) => problem !== undefined)
  if (failed.length === 0) return []
  if (servers.length > 1) return all
  toast({ mood: 'bad', title: w.someFailed(1, 1), text: `${failed[0]!.server.name}: ${failed[0]!.problem}` })
  return []
}

async function tried(server: Server, act: Act, skip: Skip): Promise<Result> {
  const reason = skip?.(server)
  if (reason !== undefined) return { server, problem: reason, isSkipped: true }
  return act(server).then(
    () => ({ server }),
    (cause: unknown) => ({ server, problem: wordsFor(cause) }),
  )
}
