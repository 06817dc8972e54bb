/** How long are the certificates good: that of the API, the root of the embedded authority, those that something uses? */
import { X509Certificate } from 'node:crypto'
import { certificatesInUse } from '../../families/certificates/host.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import { counted, failure, fine, reasonOf, type Seen, unknown, warning } from '../diagnosis.ts'
import { DatabaseAway, type Patient } from '../patient.ts'

const dayMs = 86_400_000
/** Managed certificates are renewed earlier, so that one with less has failed to be. */
const soonMs = 14 * dayMs
/** The number of them that are told one by one. */
const mostShown = 20

export async function checkCertificates(patient: Patient): Promise<readonly Seen[]> {
  const now = patient.clock.now()
  return [...api(patient, now), ...(await root(patient, now)), ...(await inUse(patient, now))]
}

/** `subject` is good until a time, in milliseconds since the epoch. */
function judged(subject: string, until: number, now: number, advice: string): Seen {
  const days = Math.floor(Math.abs(until - now) / dayMs)
  if (until <= now) return failure(subject, `ended ${counted(days, 'day')} ago`, advice)
  const seen = `ends in ${counted(days, 'day')}`
  return until - now < soonMs ? warning(subject, seen, advice) : fine(subject, seen)
}

function api({ tlsCertificate, listeners }: Patient, now: number): readonly Seen[] {
  const subject = 'of the API'
  if (tlsCertificate === undefined) {
    const isOpen = listeners.some(({ speaks, host }) => speaks === 'api' && !/^(127\.|::1$|localhost$)/.test(host))
    if (!isOpen) return []
    return [warning(subject, 'none: the API is served in plain text', '--tls-cert and --tls-key, or a proxy in front')]
  }
  const advice = 'put a new one where --tls-cert and --tls-key lead, and start wolke serve again'
  return [judged(subject, new X509Certificate(tlsCertificate).validToDate.getTime(), now, advice)]
}

async function root({ root: read }: Patient, now: number): Promise<readonly Seen[]> {
  if (!read) return []
  const subject = 'root of the embedded authority'
  try {
    const until = new X509Certificate(await read()).validToDate.getTime()
    return [judged(subject, until, now, 'it cannot be replaced yet: report it')]
  } catch (error) {
    return [failure(subject, `cannot be read: ${reasonOf(error)}`, 'see what is said of the keys')]
  }
}

async function inUse({ open }: Patient, now: number): Promise<readonly Seen[]> {
  const subject = 'in use'
  try {
    const { all, ending } = await certificatesInUse((await open()).query, timestamp(now + soonMs), mostShown + 1)
    const shown = ending.slice(0, mostShown).map((one) => {
      const advice =
        one.type === 'managed'
          ? `its renewal fails${one.error_code === null ? '' : ` (${one.error_code})`}: see what is said of delegation`
          : 'its Project has to upload a new one; its owner was told by mail'
      const name = `${one.name} (${one.type}, ${one.id} of Project ${one.project_id})`
      return judged(name, Date.parse(one.not_valid_after!), now, advice)
    })
    const rest = ending.length > mostShown ? [warning(subject, 'there are more that end soon', null)] : []
    const others = all - ending.length
    const good =
      ending.length > mostShown
        ? []
        : [fine(subject, `${counted(others, 'certificate')} ${others === 1 ? 'has' : 'have'} more than 14 days`)]
    return [...shown, ...rest, ...good]
  } catch (error) {
    if (!(error instanceof DatabaseAway)) throw error
    return [unknown(subject, 'not looked at: the database cannot be asked', null)]
  }
}
