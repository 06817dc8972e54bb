/** Uploaded certificates: when their owners are told that they expire. Pure. */
import type { ProjectScope } from '../../../kernel/scope.ts'
import { type CertificateSummary, dayMs } from '../domain.ts'

/** An uploaded certificate that expires soon. */
export interface ExpiringCertificate extends CertificateSummary {
  readonly scope: ProjectScope
  readonly notValidAfter: string
}

/** Notices go out so many days before expiry. */
export const noticeDays = [1, 7, 30] as const

/** How long before expiry the first notice is sent, in milliseconds. */
export const firstNoticeMs = noticeDays.at(-1)! * dayMs

/** The notice that is due: the smallest number of days that has been reached; undefined before the first. */
export function daysBefore(leftMs: number): (typeof noticeDays)[number] | undefined {
  return noticeDays.find((days) => leftMs <= days * dayMs)
}
