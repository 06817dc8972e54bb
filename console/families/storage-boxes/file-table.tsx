/** The files of a folder of a Storage Box are a table, with a menu for each of them. */
import { useMemo, useState } from 'react'
import { type ItemOf, useProjectId } from '../../api/api.ts'
import { addressOf } from '../../api/client.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Link } from '../../ui/link.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { type Column, ListFrame, nameClass, Table, Tools } from '../../ui/table.tsx'
import { None } from '../../ui/tag.tsx'
import { Ago } from '../../ui/time.tsx'
import { common as c } from '../../words/common.ts'
import type { Box } from './box.ts'
import { FileDialogs, type FileKind } from './file-dialogs.tsx'
import { files as w } from './files.words.ts'
import { folderLink, type Place } from './folder-way.tsx'
import { UploadButton } from './upload-button.tsx'
import { sizeText } from './usage.ts'

type BoxFile = ItemOf<'storage_boxes_listFiles'>

interface FileTableProps {
  readonly box: Box
  readonly place: Place
  readonly files: readonly BoxFile[]
  /** Nothing can be changed here for this reason. */
  readonly cannot: string | undefined
  readonly onUpload: (files: readonly File[]) => void
}

/** A file with a number by which its row is known. */
type Row = BoxFile & { readonly row: number }

type Asked = { readonly kind: 'folder' } | { readonly kind: Exclude<FileKind, 'folder'>; readonly file: BoxFile }

export function FileTable({ box, place, files, cannot, onUpload }: FileTableProps) {
  const project = useProjectId()
  const [asked, ask] = useState<Asked>()
  const rows = useMemo(() => sorted(files), [files])
  const columns = useMemo(
    () =>
      columnsOf({
        linkTo: ({ path }) => folderLink(box, { folder: path, snapshot: place.snapshot }),
        addressOf: ({ path }) => addressOf(project, downloadOf(box, path, place.snapshot)),
      }),
    [box, place.snapshot, project],
  )
  const menuOf = useMenu(cannot, (kind, file) => ask({ kind, file }))
  const acts = (
    <span className="row wrap">
      <Button icon="plus" reason={cannot} onClick={() => ask({ kind: 'folder' })}>
        {w.folder}
      </Button>
      <UploadButton files={files} reason={cannot} onFiles={onUpload} />
    </span>
  )
  return (
    <>
      {rows.length === 0 ? (
        <Empty title={w.none} text={place.snapshot === undefined ? w.noneText : w.noneOld} action={acts} />
      ) : (
        <ListFrame>
          <Tools end={acts}>
            <span className="faint">{w.count(rows.length)}</span>
          </Tools>
          <Table
            caption={w.caption(place.folder || box.name)}
            columns={columns}
            rows={rows}
            idOf={({ row }) => row}
            nameOf={({ name }) => name}
            menu={menuOf}
          />
          <span className="only-narrow">{acts}</span>
        </ListFrame>
      )}
      {asked && (
        <FileDialogs
          box={box}
          folder={place.folder}
          kind={asked.kind}
          file={'file' in asked ? asked.file : undefined}
          onClose={() => ask(undefined)}
        />
      )}
    </>
  )
}

/** Folders come before files. */
function sorted(files: readonly BoxFile[]): readonly Row[] {
  const rank = ({ kind }: BoxFile) => (kind === 'directory' ? 0 : 1)
  return files
    .toSorted((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name))
    .map((file, row) => ({ ...file, row }))
}

function downloadOf({ id }: Box, path: string, snapshot: number | undefined): ApiRequest<'storage_boxes_downloadFile'> {
  return { operation: 'storage_boxes_downloadFile', params: { id }, query: { path, snapshot } }
}

/** Returns the menu of a file or a folder. */
function useMenu(cannot: string | undefined, ask: (kind: 'move' | 'remove', file: BoxFile) => void) {
  const mayMove = useReason('storage_boxes_renameFile')
  const mayRemove = useReason('storage_boxes_removeFile')
  return (file: Row): readonly MenuEntry[] => [
    {
      key: 'move',
      label: w.move,
      icon: 'settings',
      isEdit: true,
      reason: mayMove ?? cannot,
      onSelect: () => ask('move', file),
    },
    'line',
    {
      key: 'remove',
      label: c.delete,
      icon: 'trash',
      isBad: true,
      reason: mayRemove ?? cannot,
      onSelect: () => ask('remove', file),
    },
  ]
}

interface Ways {
  /** The link into a folder. */
  readonly linkTo: (file: BoxFile) => ReturnType<typeof folderLink>
  /** The address of the bytes of a file. */
  readonly addressOf: (file: BoxFile) => string
}

function columnsOf(ways: Ways): readonly Column<Row>[] {
  return [
    { key: 'name', label: c.name, card: 'key', cell: (file) => <Name file={file} {...ways} /> },
    {
      key: 'kind',
      label: w.kind,
      card: 'stat',
      rank: 2,
      cell: ({ kind }) => <span className="dim">{w.kinds[kind]}</span>,
    },
    {
      key: 'size',
      label: w.size,
      isEnd: true,
      isNarrow: true,
      cell: ({ kind, size }) => (kind === 'file' ? sizeText(size) : <None />),
    },
    { key: 'modified', label: w.modified, card: 'sub', isEnd: true, cell: ({ modified }) => <Ago time={modified} /> },
  ]
}

/** A folder opens, and a file is downloaded. */
function Name({ file, linkTo, addressOf }: Ways & { readonly file: BoxFile }) {
  if (file.kind === 'directory') {
    return (
      <Link {...linkTo(file)} className={nameClass}>
        {file.name}/
      </Link>
    )
  }
  if (file.kind !== 'file') return <span className={nameClass}>{file.name}</span>
  return (
    <a href={addressOf(file)} download={file.name} className={nameClass} title={w.download}>
      {file.name}
    </a>
  )
}
