/**
 * Runs long work beside short requests. Each turn of the event loop has a few milliseconds for those who come, and then a
 * small piece for work that goes on. Who comes when they are over, or while others of the same Project wait, waits as
 * well. Those who wait are served by Project, in rotation, and those who have just come before those who go on.
 */
import { insideTransaction } from '../data/db.ts'
import type { ProjectId } from '../scope.ts'
import { type AtOnce, ending, inSteps, type Steps, value } from './at-once.ts'
import { onBehalfOf, projectServed, type Read, readServed } from './behalf.ts'
import { FairQueue } from './fair-queue.ts'
import { Rotation } from './rotation.ts'
import { endTurn } from './turn-end.ts'

/** Those who have not done anything yet, and those who go on with something. */
const coming = new Rotation<ProjectId | undefined, () => void>()
const going = new Rotation<ProjectId | undefined, () => void>()

/** The share of a turn of the event loop for those who come, and again for those of them who wait, in milliseconds. */
const comingMs = 3
/** The time that one may take before others get their turn, and the share of those who go on: what a short request waits. */
const pieceMs = 0.3

/** This many small items are made between looks at the time. */
const itemsAtOnce = 8

/** The end of the time for those who come; undefined before the first one of a turn. */
let end: number | undefined
/** The end of the piece of the one who is served. */
let endOfPiece = 0
/** Counts the turns of the event loop in which anybody asked for one. */
let turns = 0
let isPlanned = false
/** A read that takes so many pieces is long. So many are under way, because each holds what it has read. */
const piecesOfLong = 50
const longReads = new FairQueue<ProjectId | undefined>({ atOnce: 8, perKey: 1 })
/** True while somebody who waited is served, with all that follows from it at once. */
let isServing = false

/**
 * Makes room for others between steps of work, each of which must take well under a piece. Undefined while the current
 * piece lasts, and in a transaction, which would keep others from what it holds.
 */
export function turn(): Promise<void> | undefined {
  if (insideTransaction.getStore()) return undefined
  if (isServing) return performance.now() < endOfPiece ? undefined : goOn()
  if (coming.size + going.size > 0 && hasWaiting(projectServed())) return join(coming)
  const now = performance.now()
  if (end === undefined) {
    end = now + comingMs
    plan()
  }
  if (isPieceOver(now)) return goOn()
  return now < end ? undefined : join(coming)
}

const hasWaiting = (project: ProjectId | undefined) => coming.has(project) || going.has(project)

/** Tells whether the caller, who reads and was not waiting, has taken a piece of this turn of the event loop. */
function isPieceOver(now: number): boolean {
  const read = readServed()
  if (!read) return false
  if (read.turn === turns) return now >= read.endOfPiece
  read.turn = turns
  read.endOfPiece = now + pieceMs
  return false
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
  const read: Read = { pieces: 0, turn: -1, endOfPiece: 0 }
  return ending(
    () => onBehalfOf(project, work, undefined, read),
    () => read.leave?.(),
  )
}

/** Resolves when it is the turn of the caller, who goes on with some work; that is never at once. */
export function nextTurn(): Promise<void> {
  return join(going)
}

function join(waiting: typeof going): Promise<void> {
  return new Promise((resolve) => {
    waiting.add(projectServed(), resolve)
    plan()
  })
}

/** Runs all steps of `work`, as many at once as fit into a piece, and returns its result. */
export async function inTurns<T>(work: Iterator<unknown, T>): Promise<T> {
  // Who is served already goes on, while the piece lasts.
  await (isServing ? turn() : nextTurn())
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
  // Who has an answer does not wait for those who are served now.
  endTurn()
  isServing = true
  turns++
  end = performance.now() + comingMs
  serveComing()
}

/** Serves those who have come, until their time is over. */
function serveComing(): void {
  const now = performance.now()
  const next = coming.size > 0 && now < end! ? coming.take() : undefined
  endOfPiece = now + pieceMs
  if (next) serveThen(next, serveComing)
  else serveGoing()
}

/** Serves those who go on, for one piece together. */
function serveGoing(): void {
  const next = going.size > 0 ? going.take() : undefined
  if (next) serveThen(next, goOnServing)
  else endServing()
}

function goOnServing(): void {
  if (performance.now() < endOfPiece) serveGoing()
  else endServing()
}

function serveThen(next: () => void, then: () => void): void {
  next()
  // Ticks come after everything that follows from this one at once.
  queueMicrotask(() => process.nextTick(then))
}

function endServing(): void {
  isServing = false
  end = undefined
  if (coming.size + going.size > 0) plan()
}
