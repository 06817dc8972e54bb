/** Files and folders on their way into a Storage Box, one after the other. */
import { useEffect, useRef, useState } from 'react'
import { useProjectId } from '../../api/api.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { folderMaker, parentOf } from './make-folders.ts'
import { sendFile } from './send-file.ts'
import type { Taken } from './taken.ts'

export interface Upload {
  readonly key: number
  /** Its path from the folder that was open. */
  readonly name: string
  readonly isFolder: boolean
  readonly size: number
  /** Bytes that have gone. */
  readonly sent: number
  readonly state: 'waiting' | 'sending' | 'done' | 'stopped' | 'failed'
  /** The upload failed with this. */
  readonly cause?: unknown
}

interface Uploads {
  readonly all: readonly Upload[]
  readonly isBusy: boolean
  /** Sends what was taken into a folder, in the place of files that have their names. */
  add(taken: readonly Taken[], folder: string): void
  stop(key: number): void
  stopAll(): void
  /** Forgets those that have ended. */
  clear(): void
}

export const isOver = ({ state }: Upload) => state !== 'waiting' && state !== 'sending'

/** The path of something in a folder. */
export const inFolder = (folder: string, name: string) => (folder === '' ? name : `${folder}/${name}`)

/** The list of the folder is read again no more often than this while files arrive, and once more after the last. */
const outdateMs = 2_000

export function useUploads(box: number): Uploads {
  const project = useProjectId()
  const outdate = useOutdate()
  const [all, setAll] = useState<readonly Upload[]>([])
  const stops = useRef(new Map<number, AbortController>())
  const line = useRef(Promise.resolve())
  const keys = useRef(0)
  const outdated = useRef(0)
  const change = (key: number, part: Partial<Upload>) =>
    setAll((old) => old.map((one) => (one.key === key ? { ...one, ...part } : one)))
  useEffect(() => {
    const { current } = stops
    return () => {
      for (const stop of current.values()) stop.abort()
    }
  }, [])

  const send = async (key: number, { file }: Taken, path: string, make: (path: string) => Promise<void>) => {
    const stop = stops.current.get(key)
    if (!stop || stop.signal.aborted) return
    const { signal } = stop
    change(key, { state: 'sending' })
    try {
      await make(file ? parentOf(path) : path)
      if (file) await sendFile({ project, box, path }, file, { signal, onSent: (sent) => change(key, { sent }) })
      change(key, { state: 'done', sent: file?.size ?? 0 })
    } catch (cause) {
      change(key, signal.aborted ? { state: 'stopped' } : { state: 'failed', cause })
    }
  }

  /** Forgets how one is stopped that is over, and shows what has arrived. */
  const end = async (key: number) => {
    stops.current.delete(key)
    if (stops.current.size > 0 && Date.now() < outdated.current + outdateMs) return
    outdated.current = Date.now()
    await outdate('storage_boxes')
  }

  const add: Uploads['add'] = (taken, folder) => {
    const make = folderMaker(project, box, folder)
    const added = taken.map((one): Upload => {
      const { path: name, file, cause } = one
      const key = ++keys.current
      const rest = { key, name, isFolder: !file, size: file?.size ?? 0, sent: 0 }
      if (cause !== undefined) return { ...rest, state: 'failed', cause }
      stops.current.set(key, new AbortController())
      line.current = line.current.then(() => send(key, one, inFolder(folder, name), make)).then(() => end(key))
      return { ...rest, state: 'waiting' }
    })
    setAll((old) => [...old, ...added])
  }

  const stop = (key: number) => {
    stops.current.get(key)?.abort()
    change(key, { state: 'stopped' })
  }

  return {
    all,
    isBusy: all.some((one) => !isOver(one)),
    add,
    stop,
    stopAll: () => {
      for (const stopped of stops.current.values()) stopped.abort()
      setAll((old) => old.map((one) => (isOver(one) ? one : { ...one, state: 'stopped' })))
    },
    clear: () => setAll((old) => old.filter((one) => !isOver(one))),
  }
}
