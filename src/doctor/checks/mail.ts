/** Does mail leave: how much waits, what was said of it last, and does the mail server answer? */
import { openMail, troubledMail } from '../../kernel/mail/deliveries.ts'
import { greet } from '../../kernel/mail/smtp.ts'
import { counted, failure, fine, reasonOf, type Seen, unknown, warning } from '../../kernel/process/seen.ts'
import { DatabaseAway, type Patient } from '../patient.ts'

/** Mail that waits for longer is late. */
const lateMs = 3_600_000

export async function checkMail(patient: Patient): Promise<readonly Seen[]> {
  return (await Promise.all([queue(patient), server(patient)])).flat()
}

async function queue({ open, clock }: Patient): Promise<readonly Seen[]> {
  const subject = 'queue'
  try {
    const { query } = await open()
    const [{ waiting, oldest }, troubled] = [await openMail(query), await troubledMail(query)]
    if (waiting === 0) return [fine(subject, 'is empty')]
    const last = troubled?.last_error ? `; mail ${troubled.id} last failed: ${troubled.last_error}` : ''
    const seen = `${counted(waiting, 'mail')} ${waiting === 1 ? 'waits' : 'wait'}, the oldest since ${oldest}${last}`
    const isLate = oldest !== null && clock.now() - Date.parse(oldest) > lateMs
    const advice = 'wolke mail list says what the mail server answers'
    return [isLate || last !== '' ? warning(subject, seen, advice) : fine(subject, seen)]
  } catch (error) {
    if (!(error instanceof DatabaseAway)) throw error
    return [unknown(subject, 'not looked at: the database cannot be asked', null)]
  }
}

async function server({ smtp }: Patient): Promise<readonly Seen[]> {
  const subject = 'mail server'
  if (!smtp) return [fine(subject, 'none: mail is written to the log (--smtp names one)')]
  const at = `${subject} (${smtp.host}:${smtp.port})`
  try {
    await greet(smtp)
    return [fine(at, smtp.login ? 'answers, and takes the login' : 'answers')]
  } catch (error) {
    return [failure(at, reasonOf(error), 'see that it runs, and that --smtp names it with the right login')]
  }
}
