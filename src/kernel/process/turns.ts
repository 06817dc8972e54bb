/**
 * Runs long work beside short requests. Each turn of the event loop has a few milliseconds for what Projects ask. Who
 * comes when they are over, or while others of the same Project wait, waits as well; those who wait are served by
 * Project, in rotation.
 */
import { insideTransaction } from '../data/db.ts'
import type { ProjectId } from '../scope.ts'
import { type AtOnce, ending, inSteps, type Steps, value } from './at-once.ts'
import { onBehalfOf, projectServed, type Read, readServed } from './behalf.ts'
import { FairQueue } from './fair-queue.ts'
import { Rotation } from './rotation.ts'

const waiting = new Rotation<ProjectId | undefined, () => void>()

/** The share of a turn of the event loop for those who come, and again for those who wait, in milliseconds. */
const pieceMs = 3

/** This many small items are made between looks at the time. */
const itemsAtOnce = 8

/** The end of the current piece; undefined before the first one of a turn. */
let end: number | undefined
let isPlanned = false
/** A read that takes so many pieces is long. So many are under way, because each holds what it has read. */
const piecesOfLong = 5
const longReads = new FairQueue<ProjectId | undefined>({ atOnce: 8, perKey: 1 })
/** True while somebody who waited is served, with all that follows from it at once. */
let isServing = false

/**
 * Makes room for others between steps of work, each of which must take well under a piece. Undefined while the current
 * piece lasts, and in a transaction, which would keep others from what it holds.
 */
export function turn(): Promise<void> | undefined {
  if (insideTransaction.getStore()) return undefined
  if (!isServing && waiting.size > 0 && waiting.has(projectServed())) return nextTurn()
  const now = performance.now()
  if (end === undefined) {
    end = now + pieceMs
    plan()
  }
  if (now < end) return undefined
  return isServing ? goOn() : nextTurn()
}

/** The next turn of somebody who has taken the current piece. */
function goOn(): Promise<void> {
  const read = readServed()
  return read && ++read.pieces === piecesOfLong ? enterLong(read) : nextTurn()
}

/** A read that turns out to need many statements awaits this: it is long before it has taken many pieces. */
export function turnOfLong(): Promise<void> | undefined {
  const read = readServed()
  if (!read || read.pieces >= piecesOfLong || insideTransaction.getStore()) return turn()
  read.pieces = piecesOfLong
  return enterLong(read)
}

async function enterLong(read: Read): Promise<void> {
  const project = projectServed()
  await longReads.enter(project)
  read.leave = () => longReads.leave(project)
  await nextTurn()
}

/** Does what a request asks that only reads: few long ones of a Project are under way at once, and the others wait. */
export function reading<T>(project: ProjectId | undefined, work: () => AtOnce<T>): AtOnce<T> {
  const read: Read = { pieces: 0 }
  return ending(
    () => onBehalfOf(project, work, undefined, read),
    () => read.leave?.(),
  )
}

/** Resolves when it is the caller's turn to do some work, which is never at once. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.add(projectServed(), resolve)
    plan()
  })
}

/** Runs all steps of `work`, as many at once as fit into a piece, and returns its result. */
export async function inTurns<T>(work: Iterator<unknown, T>): Promise<T> {
  await nextTurn()
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    const wait = turn()
    if (wait) await wait
  }
}

/**
 * Maps all items and looks at the time after each `atOnce` of them, which is 1 where an item may take as long as a
 * piece.
 */
export function mapInTurns<T, R>(items: readonly T[], map: (item: T) => AtOnce<R>, atOnce = itemsAtOnce): AtOnce<R[]> {
  return inSteps(mapping(items, map, atOnce))
}

function* mapping<T, R>(items: readonly T[], map: (item: T) => AtOnce<R>, atOnce: number): Steps<R[]> {
  const mapped: R[] = []
  for (const item of items) {
    const made = map(item)
    mapped.push(made instanceof Promise ? yield* value(made) : made)
    const wait = mapped.length % atOnce === 0 ? turn() : undefined
    if (wait) yield wait
  }
  return mapped
}

function plan(): void {
  if (isPlanned) return
  isPlanned = true
  setImmediate(serve)
}

function serve(): void {
  isPlanned = false
  isServing = true
  end = performance.now() + pieceMs
  serveNext()
}

/** Serves those who wait until the piece is over. */
function serveNext(): void {
  const next = waiting.size > 0 && performance.now() < end! ? waiting.take() : undefined
  if (next) {
    next()
    // Ticks come after everything that follows from this one at once.
    queueMicrotask(() => process.nextTick(serveNext))
    return
  }
  isServing = false
  end = undefined
  if (waiting.size > 0) plan()
}
