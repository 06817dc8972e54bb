/** The files of a folder of a Storage Box are a table, with a menu for each of them. */
import { useMemo, useState } from 'react'
import { type ItemOf, useProjectId } from '../../api/api.ts'
import { addressOf } from '../../api/client.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { Empty } from '../../ui/empty.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { saveFrom } from '../../ui/save-file.ts'
import { type Column, ListFrame, nameClass, type Sorting, Table, Tools } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { naturally, sortedBy } from '../../ui/use-list.ts'
import { common as c } from '../../words/common.ts'
import type { Box } from './box.ts'
import styles from './boxes.module.css'
import { FileDialogs, type FileKind } from './file-dialogs.tsx'
import { files as w } from './files.words.ts'
import { folderLink, type Place } from './folder-way.tsx'
import { type TakeProps, UploadButtons } from './upload-button.tsx'
import { sizeText } from './usage.ts'

type BoxFile = ItemOf<'storage_boxes_listFiles'>

interface FileTableProps {
  readonly box: Box
  readonly place: Place
  readonly files: readonly BoxFile[]
  /** Nothing can be changed here for this reason. */
  readonly cannot: string | undefined
  readonly onTake: TakeProps['onTake']
}

/** A file with a number by which its row is known. */
type Row = BoxFile & { readonly row: number }

type Asked = { readonly kind: 'folder' } | { readonly kind: Exclude<FileKind, 'folder'>; readonly file: BoxFile }

export function FileTable({ box, place, files, cannot, onTake }: FileTableProps) {
  const project = useProjectId()
  const [asked, ask] = useState<Asked>()
  const [sorting, sort] = useState<Sorting>('name')
  const numbered = useMemo(() => files.map((file, row) => ({ ...file, row })), [files])
  const ways = useMemo(
    (): Ways => ({
      linkTo: ({ path }) => folderLink(box, { folder: path, snapshot: place.snapshot }),
      project,
      bytesOf: ({ path }) => downloadOf(box, path, place.snapshot),
    }),
    [box, place.snapshot, project],
  )
  const columns = useMemo(() => columnsOf(ways), [ways])
  const rows = useMemo(() => sorted(numbered, columns, sorting), [numbered, columns, sorting])
  const menuOf = useMenu(ways, cannot, (kind, file) => ask({ kind, file }))
  const acts = (
    <span className="row wrap">
      <Button icon="plus" reason={cannot} onClick={() => ask({ kind: 'folder' })}>
        {w.folder}
      </Button>
      <UploadButtons reason={cannot} onTake={onTake} />
    </span>
  )
  return (
    <>
      {rows.length === 0 ? (
        <Empty
          title={place.snapshot === undefined ? w.none : w.noneOld}
          text={place.snapshot === undefined ? w.noneText : w.noneOldText}
          action={acts}
        />
      ) : (
        <ListFrame>
          <Tools end={acts}>
            <span className="faint">{w.count(rows.length)}</span>
          </Tools>
          {/* Before the list, which may be long. */}
          <span className="only-narrow">{acts}</span>
          <Table
            caption={w.caption(place.folder || box.name)}
            columns={columns}
            rows={rows}
            idOf={({ row }) => row}
            nameOf={({ name }) => name}
            sorting={sorting}
            onSort={sort}
            menu={menuOf}
          />
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

/** Sorts by a column, folders before all else. */
function sorted(rows: readonly Row[], columns: readonly Column<Row>[], sorting: Sorting): readonly Row[] {
  const all = sortedBy(rows, columns, sorting, naturally)
  const isFolder = ({ kind }: Row) => kind === 'directory'
  return [...all.filter(isFolder), ...all.filter((one) => !isFolder(one))]
}

function downloadOf({ id }: Box, path: string, snapshot: number | undefined): ApiRequest<'storage_boxes_downloadFile'> {
  return { operation: 'storage_boxes_downloadFile', params: { id }, query: { path, snapshot } }
}

/** Returns the menu of a file or a folder. */
function useMenu(
  { project, bytesOf }: Ways,
  cannot: string | undefined,
  ask: (kind: 'move' | 'remove', file: BoxFile) => void,
) {
  const mayMove = useReason('storage_boxes_renameFile')
  const mayRemove = useReason('storage_boxes_removeFile')
  const download = (file: Row): MenuEntry => ({
    key: 'download',
    label: w.download,
    icon: 'download',
    onSelect: () => saveFrom(file.name, addressOf(project, bytesOf(file))),
  })
  return (file: Row): readonly MenuEntry[] => [
    ...(file.kind === 'file' ? [download(file)] : []),
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
  readonly project: number | undefined
  /** The request for the bytes of a file. */
  readonly bytesOf: (file: BoxFile) => ApiRequest<'storage_boxes_downloadFile'>
}

function columnsOf(ways: Ways): readonly Column<Row>[] {
  return [
    {
      key: 'name',
      label: c.name,
      card: 'key',
      sort: ({ name }) => name,
      cell: (file) => <NameCell file={file} {...ways} />,
    },
    {
      key: 'size',
      label: w.size,
      card: 'stat',
      isEnd: true,
      isNarrow: true,
      sort: ({ kind, size }) => (kind === 'file' ? -size : 0),
      cell: ({ kind, size }) => (kind === 'file' ? sizeText(size) : <span className="faint">{w.kinds[kind]}</span>),
    },
    {
      key: 'modified',
      label: w.modified,
      card: 'sub',
      isEnd: true,
      sort: ({ modified }) => -Date.parse(modified),
      cell: ({ modified }) => <Ago time={modified} />,
    },
  ]
}

const icons: Partial<Record<BoxFile['kind'], IconName>> = { directory: 'folder', file: 'doc', link: 'link' }

function NameCell(props: Ways & { readonly file: BoxFile }) {
  const icon = icons[props.file.kind]
  return (
    <span className={cx('row', styles.file)}>
      {icon && <Icon name={icon} />}
      <Name {...props} />
    </span>
  )
}

/** A folder opens, and a file is downloaded. */
function Name({ file, linkTo, project, bytesOf }: Ways & { readonly file: BoxFile }) {
  if (file.kind === 'directory') {
    return (
      <Link {...linkTo(file)} className={nameClass}>
        {file.name}/
      </Link>
    )
  }
  if (file.kind !== 'file') return <span className={nameClass}>{file.name}</span>
  return (
    <a href={addressOf(project, bytesOf(file))} download={file.name} className={nameClass} title={w.download}>
      {file.name}
    </a>
  )
}
