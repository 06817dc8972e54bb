/** Certificates need somebody that were not issued or renewed, or that end. */
import { linkTo } from '../../families.ts'
import { type Need, type States, withKind } from '../../pages/shared/states.ts'
import { type Certificate, failureOf, outlookOf } from './certificate.ts'

function ofCertificate(certificate: Certificate): Need[] {
  const { id, name } = certificate
  const { mood, text, next = '' } = outlookOf(certificate)
  if (mood !== 'bad' && mood !== 'warn') return []
  const link = linkTo('certificates', 'one', { id })
  const why = [next, failureOf(certificate)?.text ?? ''].filter(Boolean).join(': ')
  return [
    { key: `certificate ${id}`, mood, title: `${name ?? ''}: ${text}`, text: withKind('certificates', why), link },
  ]
}

export const states: States<Certificate> = {
  place: 2,
  needsOf: ofCertificate,
  tellsFailures: true,
}
