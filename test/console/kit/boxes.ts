/** Storage Boxes in tests: a page of one is opened, and the API is asked what became of it. */
import { someBoxes } from '../states/storage.ts'
import type { Console, ConsoleOptions, OpenConsole } from './harness.ts'

export async function boxOf({ api }: Console, name = 'backups') {
  return (await api.get(`/storage_boxes?name=${name}`)).body.storage_boxes[0]
}

/** Lists the parts of a kind that the box has. */
export async function partsOf(console: Console, kind: 'snapshots' | 'subaccounts') {
  const { id } = await boxOf(console)
  return (await console.api.get(`/storage_boxes/${id}/${kind}`)).body[kind]
}

/** Opens a tab of the page of a box; '' is the overview. */
export async function visitBox(console: Console, tab: string, name?: string): Promise<void> {
  await console.visit(`P/storage-boxes/${(await boxOf(console, name)).id}${tab}`)
}

/** Opens a console in a Project that has some boxes, at a tab of the first one. */
export async function openBox(open: OpenConsole, tab = '', options?: ConsoleOptions): Promise<Console> {
  const console = await open(options)
  await someBoxes(console)
  await visitBox(console, tab)
  return console
}
