import { useApi } from '../../api/api.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import type { ActsOptions } from '../../pages/shared/act.ts'
import { tellFailure } from '../../ui/failure.tsx'
import { resources as r } from '../../words/resources.ts'
import type { Certificate } from './certificate.ts'
import { certificates as w } from './words.ts'

export const certificateActs: ActsOptions<Certificate> = {
  family: 'certificates',
  lost: ({ type }) => w.deleteText[type],
  deleteAct: w.deleteAct,
  whyNot: ({ used_by: users }) => (users.length > 0 ? w.isUsed : undefined),
}

/** Has a managed certificate tried again. */
export function useRetry(): (certificate: Certificate) => Promise<void> {
  const api = useApi()
  const outdate = useOutdate()
  return async ({ id, name }) => {
    try {
      await api.call('certificates_retry', { params: { id } })
    } catch (cause) {
      tellFailure(cause, r.notChanged(name))
    }
    await outdate('certificates')
  }
}
