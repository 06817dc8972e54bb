/** The glossaries of a Project. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { PageHead } from '../../ui/page.tsx'
import { glossaries as w } from './words.ts'

export function GlossariesPage() {
  const { data } = useSuspenseQuery(useApi().list('glossaries_list', {}))
  return (
    <>
      <PageHead title={w.title} />
      {data.map(({ id, name }) => (
        <p key={id}>{name}</p>
      ))}
    </>
  )
}
