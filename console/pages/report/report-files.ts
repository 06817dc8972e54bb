/** The report as files: for programs, for people, and for continuous integration. */
import { send, sendText } from '../../api/client.ts'
import { saveFile } from '../../ui/save-file.ts'
import { harRequestOf, type ReportSearch, requestOf } from './report-data.ts'

const types = {
  json: 'application/json',
  text: 'text/plain',
  junit: 'application/xml',
  har: 'application/json',
} as const
const endings = { json: 'json', text: 'txt', junit: 'xml', har: 'har' } as const

type FileKind = keyof typeof types
export const fileKinds = Object.keys(types) as readonly FileKind[]

/** `name` is that of the run. Errors: `ApiFailure`. */
export async function download(kind: FileKind, search: ReportSearch, name: string): Promise<void> {
  const file = `report-${name.replaceAll(/[^\p{L}\p{N}._]+/gu, '-').slice(0, 60)}.${endings[kind]}`
  saveFile(file, await textOf(kind, search), types[kind])
}

async function textOf(kind: FileKind, search: ReportSearch): Promise<string> {
  if (types[kind] !== 'application/json') return (await sendText(undefined, requestOf(search), types[kind]))[0]
  const reply = await send(undefined, kind === 'har' ? harRequestOf(search) : requestOf(search))
  return `${JSON.stringify(reply, null, 2)}\n`
}
