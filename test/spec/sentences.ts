/**
 * What the spec says in words, in our own short form, with the tests that prove it (`file: name`). Rows of its tables
 * are in the other files here; families that are not here are left out.
 */

export interface SentenceRow {
  readonly section: string
  readonly says: string
  readonly tests: readonly string[]
}

const everyCaller =
  'coverage.test.ts: tells strangers, read-only tokens and other Projects nothing and lets them change nothing'
const everyError = 'coverage.test.ts: is reached with its status, and leaves no trace'
const everyAction =
  'coverage-actions.test.ts: whatever the driver does once, the action ends, nothing stays held, and the operation can be done'

export const sentenceRows: readonly SentenceRow[] = [
  {
    section: 'What the service does',
    says: 'A managed certificate is issued and renewed for domains of our own DNS; the owner hears of problems by mail',
    tests: [
      'managed.test.ts: one is pending, then issued for what was asked, with a key that only who needs it gets',
      'managed.test.ts: for 400 days each certificate is valid at every moment and renewed once in each period',
      'managed.test.ts: that fails leaves the certificate in use, tells the owner, and is tried again later and on request',
    ],
  },
  {
    section: 'States and transitions',
    says: 'A retry starts issue_certificate for a managed certificate that failed, and its codes say what is in the way',
    tests: [
      'managed.test.ts: what stands in the way is the error of the action and of the status; without it a retry issues',
      'managed.test.ts: CAA records decide who may issue, for wildcards by themselves, the nearest ones alone',
      'managed.test.ts: a zone that the DNS does not lead to us stands in the way',
    ],
  },
  {
    section: 'What the service does',
    says: 'Every resource belongs to one Project, and a token reaches that one alone',
    tests: [everyCaller, 'access.test.ts: a token reaches its own Project only'],
  },
  {
    section: 'What the service does',
    says: 'JSON over HTTPS',
    tests: ['commands.test.ts: serves HTTPS with the certificate that it is given'],
  },
  {
    section: 'Common types',
    says: 'Ids are wider than 32 bits; timestamps are RFC 3339',
    tests: [
      'ssh-keys.test.ts: a key comes back byte for byte, with its MD5 fingerprint, under an id of more than 32 bits',
      'firewalls.test.ts: a firewall has exactly the documented fields, and is gone after its deletion',
    ],
  },
  {
    section: 'Labels',
    says: 'The prefix <vendor>.cloud/ is reserved, and no other',
    tests: ['firewalls.test.ts: labels cannot have the prefix of the installation; its subdomains are free'],
  },
  {
    section: 'Labels',
    says: 'An update replaces all labels',
    tests: [
      'firewalls.test.ts: an update changes what it names, labels as a whole, and nothing else',
      'servers.test.ts: an update changes what it names, labels as a whole, and nothing else',
    ],
  },
  {
    section: 'Label selector',
    says: 'Lists and firewalls choose by the same expressions',
    tests: [
      'listing.test.ts: under every selector, sort and page shows what looking at everything finds',
      'firewalls.test.ts: matching follows the labels of servers, with an action for each change',
    ],
  },
  {
    section: 'Action',
    says: 'An action that runs, also while what failed is undone, shows no error',
    tests: ['floating-ips.test.ts: a failed assignment leaves it where it was, unlocked'],
  },
  {
    section: 'Pagination object',
    says: 'There is no page before the first and none after the last',
    tests: ['listing.test.ts: tells its pages: null at the ends, and past the end an empty page'],
  },
  {
    section: 'Firewall',
    says: 'Networks have no host bits',
    tests: ['domain.test.ts: a network needs its mask and must not have host bits'],
  },
  {
    section: 'Firewall',
    says: 'Without an inbound rule nothing comes in, without an outbound rule everything goes out',
    tests: [
      'domain.test.ts: with a firewall without rules nothing may come in and everything may go out',
      'domain.test.ts: the first outbound rule closes the way out for everything else',
    ],
  },
  {
    section: 'Firewall',
    says: 'An entry for a selector lists the servers that it matches',
    tests: ['firewalls.test.ts: matching follows the labels of servers, with an action for each change'],
  },
  {
    section: 'Floating IP',
    says: 'IPv4 is one address, IPv6 a network of /64; names are unique',
    tests: [
      'floating-ips.test.ts: an unassigned one has no action, a name of its own and a default reverse name',
      'floating-ips.test.ts: an IPv6 one is a /64 without reverse names',
      'floating-ips.test.ts: names are unique, and updates change what they name',
    ],
  },
  {
    section: 'Image',
    says: 'A backup belongs to one server, is made daily and goes with it; seven are kept; it can become a snapshot',
    tests: [
      'backups.test.ts: the clock makes one backup a day in the window of each server that wants one',
      'backups.test.ts: an eighth backup drops the oldest, once it is complete',
      'backups.test.ts: backups go with their server; snapshots and what was converted stay',
    ],
  },
  {
    section: 'Image',
    says: 'Name and architecture identify an image, and the type of a server chooses between them',
    tests: [
      'images.test.ts: a name stands for one image of each architecture',
      'servers.test.ts: an image named by name has the architecture of the type; one named by id must have it',
    ],
  },
  {
    section: 'Image',
    says: 'deprecation says when an image goes; deprecated is gone since 2 November 2026',
    tests: ['images.test.ts: the field deprecated is there until 2 November 2026'],
  },
  {
    section: 'States and transitions',
    says: 'Assigning, unassigning and creation with a server each have their action',
    tests: [
      'floating-ips.test.ts: with a server it takes its location, is assigned by create_floating_ip, and leads there',
      'floating-ips.test.ts: a move from one server to another is one call, and never leads to both',
      'floating-ips.test.ts: unassigned means unreachable',
    ],
  },
  {
    section: 'States and transitions',
    says: 'Protection prevents deletion',
    tests: [
      'floating-ips.test.ts: a protected one is not deleted',
      'own-images.test.ts: a snapshot can be protected from deletion, a backup cannot',
    ],
  },
  {
    section: 'States and transitions',
    says: 'An image is creating until its action succeeds',
    tests: ['backups.test.ts: a snapshot is creating until its action succeeds, and then has its size'],
  },
  {
    section: 'Endpoints',
    says: 'What starts an action answers 201; a deletion answers 204 without a body',
    tests: ['conformance.test.ts: operations have the status, the parameters and the body fields of the description'],
  },
  {
    section: 'Endpoints',
    says: 'Actions are not sorted by progress',
    tests: [
      'conformance.test.ts: every family with actions has their endpoints, and its actions sort by what the spec names',
    ],
  },
  {
    section: 'Datacenters',
    says: 'They answer 410 since October 2026',
    tests: ['datacenters.test.ts: since October 2026 they are gone, whatever else is wrong with the request'],
  },
  {
    section: 'Firewalls',
    says: 'A server that several selectors of a firewall match is shown under one of them',
    tests: [
      'firewalls.test.ts: under several selectors of a firewall a server is shown once, and passes to the next one',
    ],
  },
  {
    section: 'Firewalls',
    says: 'Rules that do not change start no apply_firewall',
    tests: ['firewalls.test.ts: new rules start an apply_firewall for each server; the same rules again start none'],
  },
  {
    section: 'Floating IPs',
    says: 'change_dns_ptr: the exact address or one inside the /64; null resets; the key is mandatory; no trailing dot',
    tests: ['floating-ips.test.ts: reverse names follow the rules of their kind of address'],
  },
  {
    section: 'Floating IPs',
    says: 'Without a free address creation answers 412 unavailable',
    tests: [
      'floating-ips.test.ts: 40 clients draining a pool get each address once, and an empty pool is 412 unavailable',
    ],
  },
  {
    section: 'Images',
    says: 'Only snapshots and backups are updated and deleted',
    tests: [
      'own-images.test.ts: description and labels of snapshots and backups can be changed, nothing of the installation',
      everyError,
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
    tests: ['access.test.ts: every endpoint asks for a token first', everyCaller],
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
    tests: ['coverage.test.ts: rate_limit_exceeded: every endpoint counts, whoever asks'],
  },
  {
    section: 'Events',
    says: 'Progress and result of what takes time are read from its action',
    tests: [everyAction],
  },
  {
    section: 'Errors',
    says: 'One envelope for every error, whatever fails',
    tests: [
      everyError,
      'edge.test.ts: malformed HTTP gets the envelope and the standard headers, and its connection ends',
      'edge.test.ts: requests that are refused get the envelope and the standard headers',
    ],
  },
  {
    section: 'Errors, additional rules',
    says: 'A name that no datacenter can have, and white space before a public key, are refused',
    tests: [
      'datacenters.test.ts: a name that cannot be one is refused, one that is nobody finds nothing',
      'ssh-keys.test.ts: white space before the key, and what is no key, is refused by the name of the field',
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
      'calendar.test.ts: each row has its cases, waits for a family that is not there, or says why it makes no difference',
      'calendar.test.ts: serves the table and says what holds by the clock',
    ],
  },
]
