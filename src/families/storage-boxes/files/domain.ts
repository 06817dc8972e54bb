/** Files as those see them who have no client but a browser. Pure. */

export const fileKinds = ['file', 'directory', 'link', 'other'] as const
export type FileKind = (typeof fileKinds)[number]

/** The longest path, in characters. */
export const maxPath = 4_000

/** The last part of a path. */
export const nameIn = (path: string) => path.slice(path.lastIndexOf('/') + 1)
