/** The Storage Boxes of a Project. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { PageHead } from '../../ui/page.tsx'
import { storageBoxes as w } from './words.ts'

export function StorageBoxesPage() {
  const { data } = useSuspenseQuery(useApi().list('storage_boxes_list', {}))
  return (
    <>
      <PageHead title={w.title} />
      {data.length === 0 && <p>{w.none}</p>}
      {data.map(({ id, name, server, storage_box_type: type, location }) => (
        <p key={id}>
          {name}: {type.name}, {location.name}, {server ?? w.initializing}
        </p>
      ))}
    </>
  )
}
