/** What can be done with certificates. */
import { useMemo } from 'react'
import { useApi, useOutdate } from '../../api/api.ts'
import { wordsFor } from '../../ui/failure.tsx'
import { toast } from '../../ui/toasts.ts'
import { certificates as english } from '../../words/en/certificates.ts'
import { resources } from '../../words/en/resources.ts'
import { wordsOf } from '../../words/words.ts'
import type { ResourceCalls } from '../resources/acts.tsx'
import type { Certificate } from './certificate.ts'

const w = wordsOf('certificates', english)
const r = wordsOf('resources', resources)

export function useCertificateCalls(): ResourceCalls<Certificate> {
  const api = useApi()
  const outdate = useOutdate()
  return useMemo(() => {
    const update = (id: number, body: object) =>
      api.call('certificates_update', { params: { id }, body }).then(() => outdate('certificates'))
    return {
      operations: { update: 'certificates_update', remove: 'certificates_remove' },
      rename: ({ id }, name) => update(id, { name }),
      relabel: ({ id }, labels) => update(id, { labels: { ...labels } }),
      remove: ({ id }) => api.call('certificates_remove', { params: { id } }).then(() => outdate('certificates')),
      words: { deleteText: ({ type }) => w.deleteText[type], deleteAct: w.deleteAct },
      deleteReason: ({ used_by: users }) => (users.length > 0 ? w.isUsed : undefined),
    }
  }, [api, outdate])
}

/** Has a managed certificate tried again. */
export function useRetry(): (certificate: Certificate) => Promise<void> {
  const api = useApi()
  const outdate = useOutdate()
  return async ({ id, name }) => {
    try {
      await api.call('certificates_retry', { params: { id } })
    } catch (cause) {
      toast({ mood: 'bad', title: r.notChanged(name), text: wordsFor(cause) })
    }
    await outdate('certificates')
  }
}
