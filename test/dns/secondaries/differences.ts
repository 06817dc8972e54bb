/** Where our answers may be others than those of a primary, each by name. */
import type { Question, Told } from './messages.ts'

export type Program = 'BIND' | 'Knot'

/** An answer of ours beside the one of the primary. */
interface Pair {
  readonly question: Question
  readonly own: Told
  readonly theirs: Told
  /** All records that the primary has at the name, from its answers about each type. */
  readonly known: ReadonlySet<string>
}

interface Meant {
  readonly what: string
  readonly program?: Program
  readonly isIt: (pair: Pair) => boolean
}

const isWithin = (some: readonly string[], all: readonly string[]) => some.every((one) => all.includes(one))
const isSame = (some: readonly string[], all: readonly string[]) => some.join() === all.join()
const beyond = (some: readonly string[], all: readonly string[]) => some.filter((one) => !all.includes(one))
const zoneOf = ({ name }: Question) => name.split('.').slice(-2).join('.')

const meant: readonly Meant[] = [
  {
    what: 'ANY is answered with one RRset of the name, or with a HINFO record where nothing is signed (RFC 8482)',
    isIt: ({ question: { type }, own, known }) =>
      type === 'ANY' && own.answers.every((one) => known.has(one) || one.endsWith(' TYPE13 075246433834383200')),
  },
  {
    what: 'a referral of BIND lacks addresses of those name servers that are elsewhere in the zone',
    program: 'BIND',
    isIt: ({ question, own, theirs }) =>
      isSame(own.authorities, theirs.authorities) &&
      isSame(own.answers, theirs.answers) &&
      theirs.authorities.some((one) => / NS /.test(one)) &&
      isWithin(theirs.additionals, own.additionals) &&
      beyond(own.additionals, theirs.additionals).every((one) => one.startsWith(`ns.${zoneOf(question)}. `)),
  },
  {
    what: 'BIND adds addresses of AFS servers',
    program: 'BIND',
    isIt: ({ question: { type }, own, theirs }) =>
      type === 'AFSDB' && isSame(own.answers, theirs.answers) && own.additionals.length === 0,
  },
  {
    what: 'Knot refers whoever asks for NSEC records of delegated names, which are ours (RFC 4035, 2.6)',
    program: 'Knot',
    isIt: ({ question: { type }, own, theirs }) =>
      type === 'NSEC' && own.answers.some((one) => / NSEC /.test(one)) && !theirs.isAuthoritative,
  },
  {
    what: 'Knot leaves out the proof of a wildcard answer when the answer has the same NSEC records',
    program: 'Knot',
    isIt: ({ question: { type }, own, theirs }) =>
      type === 'NSEC' && isSame(own.answers, theirs.answers) && theirs.authorities.length === 0,
  },
  {
    what: 'Knot answers with one RRSIG record where there are several',
    program: 'Knot',
    isIt: ({ question: { type }, own, theirs }) =>
      type === 'RRSIG' && theirs.answers.length > 0 && isWithin(theirs.answers, own.answers),
  },
  {
    what: 'Knot answers NXDOMAIN where the name that a DNAME record leads to is too long (RFC 6672, 2.2: YXDOMAIN)',
    program: 'Knot',
    isIt: ({ own, theirs }) => own.rcode === 6 && theirs.rcode === 3 && isSame(own.answers, theirs.answers),
  },
  {
    what: 'Knot adds no addresses of a service that is at its own name',
    program: 'Knot',
    isIt: ({ question: { name, type }, own, theirs }) =>
      type === 'HTTPS' &&
      isSame(own.answers, theirs.answers) &&
      theirs.additionals.length === 0 &&
      own.additionals.every((one) => one.startsWith(`${name}. `)),
  },
  {
    what: 'Knot proves that a service has no IPv6 address',
    program: 'Knot',
    isIt: ({ question: { type }, own, theirs }) =>
      (type === 'HTTPS' || type === 'SVCB') &&
      isSame(own.answers, theirs.answers) &&
      isWithin(own.additionals, theirs.additionals) &&
      beyond(theirs.additionals, own.additionals).every((one) => / NSEC3? | RRSIG \((47|50)\) /.test(one)),
  },
]

/** What is different in two answers to a question and is not meant, as lines with `-` for theirs and `+` for ours. */
export function differences(program: Program, pair: Pair): string[] {
  const { question, own, theirs } = pair
  const lines = (['answers', 'authorities', 'additionals'] as const).flatMap((section) => [
    ...beyond(theirs[section], own[section]).map((one) => `  - ${section} ${one}`),
    ...beyond(own[section], theirs[section]).map((one) => `  + ${section} ${one}`),
    ...own[section].filter((one, index, all) => all.indexOf(one) < index).map((one) => `  twice ${section} ${one}`),
  ])
  const head = ({ rcode, isAuthoritative, isTruncated }: Told) =>
    JSON.stringify({ rcode, isAuthoritative, isTruncated })
  if (head(own) !== head(theirs)) lines.unshift(`  - ${head(theirs)}`, `  + ${head(own)}`)
  const isMeant = (one: Meant) => (one.program ?? program) === program && one.isIt(pair)
  if (lines.length === 0 || meant.some(isMeant)) return []
  return [`${question.name} ${question.type}${question.dnssecOk ? ' +dnssec' : ''}`, ...lines]
}
