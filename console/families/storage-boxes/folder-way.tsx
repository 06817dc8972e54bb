/** The folders from a Storage Box to the one that is open, each as a link. */
import { Fragment } from 'react'
import { linkTo } from '../../families.ts'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link, type Target } from '../../ui/link.tsx'
import type { Box } from './box.ts'
import styles from './boxes.module.css'
import { files as w } from './files.words.ts'

/** A folder of a box, now or in a snapshot. */
export interface Place {
  /** Its path from the box; '' for the box itself. */
  readonly folder: string
  readonly snapshot: number | undefined
}

/** A link to the files in a folder. */
export function folderLink({ id }: Pick<Box, 'id'>, { folder, snapshot }: Place): Target {
  const search = { ...(folder === '' ? {} : { path: folder }), ...(snapshot === undefined ? {} : { snapshot }) }
  const target = linkTo('storage_boxes', 'one', { id, tab: 'files' })
  return Object.keys(search).length === 0 ? target : { ...target, search }
}

export function FolderWay({ box, place }: { readonly box: Box; readonly place: Place }) {
  const names = place.folder === '' ? [] : place.folder.split('/')
  const steps = [
    { label: box.name, folder: '' },
    ...names.map((label, index) => ({ label, folder: names.slice(0, index + 1).join('/') })),
  ]
  return (
    <nav className={cx('row wrap', styles.way)} aria-label={w.way}>
      {steps.map(({ label, folder }, index) => (
        <Fragment key={folder}>
          {index > 0 && <Icon name="right" />}
          {folder === place.folder ? (
            <b aria-current="page">{label}</b>
          ) : (
            <Link {...folderLink(box, { ...place, folder })}>{label}</Link>
          )}
        </Fragment>
      ))}
    </nav>
  )
}
