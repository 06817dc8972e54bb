/** The address of a Storage Box says besides its tab which folder is open, and whose files are shown. */
interface FilesSearch {
  /** The path begins at the box, without a slash; absent for the box itself. */
  readonly path?: string | undefined
  /** The id of a snapshot; absent for the files as they are now. */
  readonly snapshot?: number | undefined
}

export function filesSearch({ path, snapshot }: Record<string, unknown>): FilesSearch {
  return {
    // The address of a folder whose name is a number says a number.
    ...(path === undefined || path === '' ? {} : { path: String(path) }),
    ...(Number.isSafeInteger(snapshot) ? { snapshot: snapshot as number } : {}),
  }
}
