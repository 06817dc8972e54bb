/** How long is the certificate of the API good, and the root of the embedded authority? */
import { X509Certificate } from 'node:crypto'
import { failure, fine, goodUntil, reasonOf, type Seen, warning } from '../../kernel/process/seen.ts'
import type { Patient } from '../patient.ts'

export async function checkTls(patient: Patient): Promise<readonly Seen[]> {
  const now = patient.clock.now()
  const seen = [...api(patient, now), ...(await root(patient, now))]
  return seen.length > 0 ? seen : [fine('of the API', 'none is needed')]
}

function api({ tlsCertificate, listeners }: Patient, now: number): readonly Seen[] {
  const subject = 'of the API'
  if (tlsCertificate === undefined) {
    const isOpen = listeners.some(({ speaks, host }) => speaks === 'api' && !/^(127\.|::1$|localhost$)/.test(host))
    if (!isOpen) return []
    return [warning(subject, 'none: the API is served in plain text', '--tls-cert and --tls-key, or a proxy in front')]
  }
  const advice = 'put a new one where --tls-cert and --tls-key lead, and start wolke serve again'
  return [goodUntil(subject, new X509Certificate(tlsCertificate).validToDate.getTime(), now, advice)]
}

async function root({ root: read }: Patient, now: number): Promise<readonly Seen[]> {
  if (!read) return []
  const subject = 'root of the embedded authority'
  try {
    const until = new X509Certificate(await read()).validToDate.getTime()
    return [goodUntil(subject, until, now, 'it cannot be replaced yet: report it')]
  } catch (error) {
    return [failure(subject, `cannot be read: ${reasonOf(error)}`, 'see what is said of the keys')]
  }
}
