/**
 * What the spec says in words, in our own short form, with the tests that prove it (`file: name`). Families bring their
 * own sentences; families that are not here are left out.
 */
import { specRows } from '../../kit/proofs.ts'
import type { SentenceRow } from './rows.ts'

const general: readonly SentenceRow[] = [
  {
    section: 'What the service does',
    says: 'Every resource belongs to one Project, and a token reaches that one alone',
    tests: [
      'coverage.test.ts: tells strangers, read-only tokens and other Projects nothing and lets them change nothing',
      'access.test.ts: a token reaches its own Project only',
    ],
  },
  {
    section: 'What the service does',
    says: 'JSON over HTTPS',
    tests: ['serve.test.ts: serves HTTPS with the certificate that it is given'],
  },
  {
    section: 'Pagination object',
    says: 'There is no page before the first and none after the last',
    tests: ['listing.test.ts: tells its pages: null at the ends, and past the end an empty page'],
  },
  {
    section: 'Endpoints',
    says: 'What starts an action answers 201; a deletion answers 204 without a body',
    tests: [
      'contract-sources.test.ts: operations have the status, the parameters and the body fields of the description',
    ],
  },
  {
    section: 'Endpoints',
    says: 'Bodies and replies are application/json; a body of another type is refused',
    tests: [
      'edge.test.ts: replies are JSON and say so; a deletion has no body; a request of another type is refused',
      'edge.test.ts: a request may have a body without a type, no body at all, or a body that nobody asked for',
    ],
  },
  {
    section: 'Endpoints',
    says: 'Actions are not sorted by progress',
    tests: [
      'contract-sources.test.ts: every family with actions has their endpoints, and its actions sort by what the spec names',
    ],
  },
  {
    section: 'Server metadata service',
    says: 'Plain GET, and the paths of EC2 are gone since August 2026',
    tests: [
      'metadata.test.ts: what does not exist is 404 in plain text, and only GET is answered',
      'metadata.test.ts: until August 2026 the EC2-compatible routes answer too',
    ],
  },
  {
    section: 'Authentication',
    says: 'Every request carries a token as Authorization: Bearer',
    tests: [
      'access.test.ts: every endpoint asks for a token first',
      'coverage.test.ts: tells strangers, read-only tokens and other Projects nothing and lets them change nothing',
    ],
  },
  {
    section: 'Authentication',
    says: 'The value of a token is shown once',
    tests: ['access.test.ts: only a hash and the last four characters of a token are kept'],
  },
  {
    section: 'Authentication',
    says: 'A read-only token may only GET',
    tests: ['access.test.ts: a read-only token is refused everything but GET, and nothing changes'],
  },
  {
    section: 'Authentication',
    says: 'The request limit counts requests with and without a token',
    tests: [
      'declared-errors.test.ts: rate_limit_exceeded: every endpoint counts, whoever asks',
      'rate-limit.test.ts: who has no Project is limited by network, apart from the Projects; forged headers change nothing',
      'rate-limit.test.ts: open pages cost the network of whoever asks, with a token too, and never a Project',
    ],
  },
  {
    section: 'Events',
    says: 'Progress and result of what takes time are read from its action',
    tests: [
      'failing-calls.test.ts: whatever the driver does once, the action ends, nothing stays held, and the operation can be done',
    ],
  },
  {
    section: 'Errors',
    says: 'One envelope for every error, whatever fails',
    tests: [
      'declared-errors.test.ts: is reached with its status, and leaves no trace',
      'edge.test.ts: malformed HTTP gets the envelope and the standard headers, and its connection ends',
      'edge.test.ts: requests that are refused get the envelope and the standard headers',
    ],
  },
  {
    section: 'Limits',
    says: 'Requests recover gradually, and processes together never admit more',
    tests: ['rate-limit.test.ts: tells what remains and when all of it is there again'],
  },
  {
    section: 'Limits',
    says: 'The number of resources of a Project is limited exactly',
    tests: ['limits.test.ts: of 20 that come at once exactly as many are made as the limit allows'],
  },
  {
    section: 'Pagination and sorting rules',
    says: 'A Link header names the pages that apply, until April 2027',
    tests: ['listing.test.ts: carries a Link header with the pages that apply, until 1 April 2027'],
  },
  {
    section: 'Pagination and sorting rules',
    says: 'Answers are compressed on request',
    tests: ['listing.test.ts: is compressed as the caller asks, from 1 KiB on'],
  },
  {
    section: 'Versioning',
    says: 'Each dated change holds from its day on',
    tests: [
      'calendar.test.ts: each row has its cases, or says why it makes no difference',
      'calendar.test.ts: serves the table and says what holds by the clock',
    ],
  },
]

export const sentenceRows: readonly SentenceRow[] = [...general, ...specRows('sentences')]
