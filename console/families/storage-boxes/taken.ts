/** Files and folders of the browser's machine that somebody chose or dropped, each with its path from there. */

export interface Taken {
  /** The parts are divided by slashes. */
  readonly path: string
  /** Absent for a folder, and for what could not be read. */
  readonly file?: File
  /** Why it could not be read. */
  readonly cause?: unknown
}

/** What a field for files or for a folder has; folders without files are not in it. */
export function chosenIn(files: Iterable<File>): readonly Taken[] {
  return [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }))
}

/** What was dropped, with all that is in its folders. One that cannot be read does not keep the others out. */
export async function droppedIn({ items }: DataTransfer): Promise<readonly Taken[]> {
  // The browser forgets what was dropped when the event is over.
  const dropped = [...items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile())
  const taken = dropped.map(async (one) => {
    if (one instanceof File) return chosenIn([one])
    return one ? takenOf(one, one.name) : []
  })
  return (await Promise.all(taken)).flat()
}

async function takenOf(entry: FileSystemEntry, path: string): Promise<readonly Taken[]> {
  try {
    if (isFile(entry)) return [{ path, file: await fileOf(entry) }]
    const taken: Taken[] = [{ path }]
    for (const inside of await entriesOf(entry as FileSystemDirectoryEntry)) {
      taken.push(...(await takenOf(inside, `${path}/${inside.name}`)))
    }
    return taken
  } catch (cause) {
    return [{ path, cause }]
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

/** A folder tells what is in it in parts, the last of which is empty. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    all.push(...some)
  }
}
