/** Writes a Project as a seed file. The same state gives the same bytes, whatever its ids are. */
import { Document, isScalar, type Node, visit, type YAMLMap, type YAMLSeq } from 'yaml'
import type { Fields } from '../../kernel/resource/seed.ts'
import { allKinds } from './kinds.ts'
import type { Present, Resource } from './present.ts'

const heading = [
  ' `wolke serve --seed FILE` makes it again (docs/seed.md).',
  ' Tokens are left out, because they are secrets.',
]

/** A value without what is null, empty or usual, with labels in the order of their names. */
export function lean(value: unknown, usual?: unknown): unknown {
  if (value === null || value === undefined || value === '' || value === usual) return undefined
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) {
    const all = value.map((one) => lean(one)).filter((one) => one !== undefined)
    return all.length > 0 ? all : undefined
  }
  const fields = Object.entries(value).flatMap(([name, one]) => {
    const kept = name === 'labels' ? labelsOf(one) : lean(one, (usual as Fields | undefined)?.[name])
    return kept === undefined ? [] : [[name, kept] as const]
  })
  return fields.length > 0 ? Object.fromEntries(fields) : undefined
}

/** Labels in the order of their names. Their values may be empty. */
function labelsOf(labels: Fields | null | undefined): Fields | undefined {
  const all = Object.entries(labels ?? {})
  return all.length > 0 ? Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1))) : undefined
}

const byName = (one: Resource, other: Resource) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0)

/** The resources that stand in a file, in its order, by the key that they have there. */
export function entriesOf({ resources }: Present): { readonly path: string; readonly entries: readonly Resource[] }[] {
  return allKinds().flatMap(({ path, type }) => {
    const entries = resources.filter(({ kind, entry }) => kind.type === type && entry).sort(byName)
    return entries.length > 0 ? [{ path, entries }] : []
  })
}

/** Lists in words what a file of a Project does not tell. */
export function leftOutOf({ resources, unread }: Present): string[] {
  return [
    ...unread.map(({ kind, reason }) => `${kind.path}: could not be read: ${reason}`),
    ...resources.flatMap(({ kind, name, remarks }) => remarks.map((remark) => `${kind.path}: ${name}: ${remark}`)),
  ]
}

/** The text of a seed file with one Project. */
export function writeSeed(project: string, present: Present): string {
  const groups = entriesOf(present)
  const ofKinds = groups.map(({ path, entries }) => [
    path,
    entries.map(({ kind, name, entry }) => ({ name, ...(lean(entry, kind.seed.usual) as Fields | undefined) })),
  ])
  const document = new Document({ projects: [{ name: project, ...Object.fromEntries(ofKinds) }] })
  document.commentBefore = [
    ...heading,
    ...present.unread.map(({ kind, reason }) => ` ${kind.path}: could not be read: ${oneLine(reason)}`),
  ].join('\n')
  const root = document.getIn(['projects', 0], true) as YAMLMap
  for (const { path, entries } of groups) {
    const list = root.get(path, true) as unknown as YAMLSeq<Node>
    const { untold } = entries[0]!.kind.seed
    if (untold) list.commentBefore = ` Not told by the API: ${untold.join(', ')}.`
    for (const [index, { remarks }] of entries.entries())
      if (remarks.length > 0) list.items[index]!.commentBefore = remarks.map((one) => ` ${oneLine(one)}`).join('\n')
  }
  literalLines(document)
  return document.toString({ lineWidth: 0 })
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ')

/** Texts of several lines, such as certificates, stand as they are. */
function literalLines(document: Document): void {
  visit(document, {
    Scalar(_, node) {
      if (isScalar(node) && typeof node.value === 'string' && node.value.includes('\n')) node.type = 'BLOCK_LITERAL'
    },
  })
}
