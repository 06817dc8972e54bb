/** The files of a Storage Box, folder by folder, as they are now or as a snapshot has them. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { toFailure } from '../../api/failure.ts'
import { useReason } from '../../shell/may.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { SelectField } from '../../ui/field.tsx'
import { useGo } from '../../ui/link.tsx'
import { Note } from '../../ui/note.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { exactTime } from '../../words/format.ts'
import type { Box } from './box.ts'
import styles from './boxes.module.css'
import { DropArea } from './drop-area.tsx'
import { entry } from './entry.ts'
import { FileTable } from './file-table.tsx'
import { files as w } from './files.words.ts'
import { FolderWay, folderLink, type Place } from './folder-way.tsx'
import { ReplaceQuestion, takenNames } from './replace-question.tsx'
import type { Taken } from './taken.ts'
import { UploadsCard } from './uploads.tsx'
import { useUploads } from './use-uploads.ts'
import { boxes as b } from './words.ts'

export function FilesTab({ box }: { readonly box: Box }) {
  const { path: folder = '', snapshot } = entry.routes.one.useSearch()
  const uploads = useUploads(box.id)
  useUnsaved(uploads.isBusy, 'page', w.leave)
  const { data, error } = useFiles(box, folder, snapshot)
  const [asked, ask] = useState<{ readonly taken: readonly Taken[]; readonly names: ReturnType<typeof takenNames> }>()
  const take = (taken: readonly Taken[]) => {
    const names = takenNames(taken, data ?? [])
    if (names.files.length + names.folders.length > 0) ask({ taken, names })
    else uploads.add(taken, folder)
  }
  const mayWrite = useReason('storage_boxes_uploadPiece')
  const cannot = snapshot === undefined ? (mayWrite ?? (box.status === 'active' ? undefined : b.notYet)) : w.isOld
  return (
    <>
      <div className="row wrap">
        <FolderWay box={box} place={{ folder, snapshot }} />
        <SnapshotField box={box} place={{ folder, snapshot }} />
      </div>
      {snapshot !== undefined && <Note>{w.isOld}</Note>}
      <UploadsCard {...uploads} />
      {error !== null && <Unread box={box} snapshot={snapshot} cause={error} />}
      {!data && !error && <Skeleton />}
      {data && !error && (
        <DropArea reason={cannot} onTake={take}>
          <FileTable box={box} place={{ folder, snapshot }} files={data} cannot={cannot} onTake={take} />
        </DropArea>
      )}
      {asked && (
        <ReplaceQuestion
          {...asked.names}
          onConfirm={() => uploads.add(asked.taken, folder)}
          onClose={() => ask(undefined)}
        />
      )}
    </>
  )
}

interface UnreadProps {
  readonly box: Box
  readonly snapshot: number | undefined
  readonly cause: unknown
}

/** Says why there is nothing to see: some installations have boxes without files. */
function Unread({ box, snapshot, cause }: UnreadProps) {
  const { status, code } = toFailure(cause)
  if (code === 'unsupported_error') return <Note>{w.noFiles}</Note>
  if (status !== 404) return <FailureNote cause={cause} what={w.notRead} />
  return (
    <Empty
      title={w.noFolder}
      text={snapshot === undefined ? w.noFolderText : w.noFolderOld}
      action={<ButtonLink {...folderLink(box, { folder: '', snapshot })}>{w.toBox(box.name)}</ButtonLink>}
    />
  )
}

function useFiles({ id }: Box, folder: string, snapshot: number | undefined) {
  const query = { ...(folder === '' ? {} : { path: folder }), ...(snapshot === undefined ? {} : { snapshot }) }
  const asked = useApi().list('storage_boxes_listFiles', { params: { id }, query })
  return useQuery(asked)
}

/** Chooses between the files of a folder as they are now and those of each snapshot, in which it may be missing. */
function SnapshotField({ box, place }: { readonly box: Box; readonly place: Place }) {
  const { folder, snapshot } = place
  const go = useGo()
  const { data: snapshots = [] } = useQuery(useApi().list('storage_boxes_listSnapshots', { params: { id: box.id } }))
  if (snapshots.length === 0) return null
  const named = snapshots.toReversed().map(({ id, name, description, created }) => ({
    value: String(id),
    label: w.asOf(name, description || exactTime(created)),
  }))
  return (
    <div className={styles.when}>
      <SelectField
        label={w.of}
        isLabelHidden
        value={snapshot === undefined ? '' : String(snapshot)}
        options={[{ value: '', label: w.now }, ...named]}
        onChange={(id) => void go(folderLink(box, { folder, snapshot: id === '' ? undefined : Number(id) }))}
      />
    </div>
  )
}
