/** The folders of a Storage Box that files are sent into. */
import { call } from '../../api/client.ts'
import { ApiFailure } from '../../api/failure.ts'

/**
 * Returns what makes a folder below one that is there, those above it first, unless it is there; each is asked for once.
 * Errors: `ApiFailure`, also where something else has its name; then the next call tries again.
 */
export function folderMaker(project: number | undefined, box: number, root: string): (path: string) => Promise<void> {
  const params = { id: box }
  const made = new Set([root])
  return async function make(path): Promise<void> {
    if (made.has(path)) return
    await make(parentOf(path))
    try {
      await call(project, 'storage_boxes_createFolder', { params, body: { path } })
    } catch (cause) {
      if (!(cause instanceof ApiFailure) || cause.code !== 'conflict') throw cause
      // Only a folder can be listed, so what is in the way of this one is another.
      const query = { path, per_page: 1 }
      await call(project, 'storage_boxes_listFiles', { params, query }).catch(() => Promise.reject(cause))
    }
    made.add(path)
  }
}

/** The path of the folder that something is in; '' for the box. */
export const parentOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0))
