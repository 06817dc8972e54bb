/** Files on their way into a Storage Box, one after the other. */
import { useEffect, useRef, useState } from 'react'
import { useProjectId } from '../../api/api.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { sendFile } from './send-file.ts'

export interface Upload {
  readonly key: number
  readonly name: string
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
  /** Sends files into a folder, in the place of those that have their names. */
  add(files: readonly File[], folder: string): void
  stop(key: number): void
  /** Forgets those that have ended. */
  clear(): void
}

const isOver = ({ state }: Upload) => state !== 'waiting' && state !== 'sending'

/** The path of something in a folder. */
export const inFolder = (folder: string, name: string) => (folder === '' ? name : `${folder}/${name}`)

export function useUploads(box: number): Uploads {
  const project = useProjectId()
  const outdate = useOutdate()
  const [all, setAll] = useState<readonly Upload[]>([])
  const stops = useRef(new Map<number, AbortController>())
  const line = useRef(Promise.resolve())
  const keys = useRef(0)
  const change = (key: number, part: Partial<Upload>) =>
    setAll((old) => old.map((one) => (one.key === key ? { ...one, ...part } : one)))
  useEffect(() => {
    const { current } = stops
    return () => {
      for (const stop of current.values()) stop.abort()
    }
  }, [])

  const send = async (key: number, file: File, path: string, { signal }: AbortController) => {
    if (signal.aborted) return
    change(key, { state: 'sending' })
    try {
      await sendFile({ project, box, path }, file, { signal, onSent: (sent) => change(key, { sent }) })
      change(key, { state: 'done', sent: file.size })
      await outdate('storage_boxes')
    } catch (cause) {
      change(key, signal.aborted ? { state: 'stopped' } : { state: 'failed', cause })
    }
  }

  const add: Uploads['add'] = (files, folder) => {
    for (const file of files) {
      const key = ++keys.current
      const stop = new AbortController()
      stops.current.set(key, stop)
      setAll((old) => [...old, { key, name: file.name, size: file.size, sent: 0, state: 'waiting' }])
      line.current = line.current
        .then(() => send(key, file, inFolder(folder, file.name), stop))
        .finally(() => stops.current.delete(key))
    }
  }

  return {
    all,
    isBusy: all.some((one) => !isOver(one)),
    add,
    stop: (key) => {
      stops.current.get(key)?.abort()
      change(key, { state: 'stopped' })
    },
    clear: () => setAll((old) => old.filter((one) => !isOver(one))),
  }
}
