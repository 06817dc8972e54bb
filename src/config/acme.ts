/** Options of the issuer of managed certificates, and of the check of their zones. */
import { InvalidArgumentError, Option } from 'commander'
import { parseAddress } from '../protocols/net/ip.ts'
import { count } from './dns.ts'
import { mailAddress } from './mail.ts'

export interface AcmeConfig {
  readonly acmeDirectory?: string
  readonly acmeContact?: string
  readonly acmeEabKid?: string
  readonly acmeEabKey?: string
  readonly acmeCaFile?: string
  readonly acmeAllowPrivate?: boolean
  readonly acmeNonceAttempts?: number
  readonly resolver?: string
  readonly delegationCheck?: 'on' | 'off'
}

function httpsUrl(text: string): string {
  if (!URL.canParse(text) || new URL(text).protocol !== 'https:') throw new InvalidArgumentError('Expected https://...')
  return text
}

function base64url(text: string): string {
  if (!/^[\w-]+={0,2}$/.test(text)) throw new InvalidArgumentError('Expected base64url.')
  return text
}

function resolverAddress(text: string): string {
  const [, inBrackets, plain, port = '53'] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  if (!parseAddress(inBrackets ?? plain ?? text).ok || Number(port) < 1 || Number(port) > 65_535) {
    throw new InvalidArgumentError('Expected an IP address, with :PORT if it is not 53.')
  }
  return text
}

export function acmeOptions(): Option[] {
  return [
    new Option('--acme-directory <url>', 'certificate authority of managed certificates (default: an embedded one)')
      .env('WOLKE_ACME_DIRECTORY')
      .argParser(httpsUrl),
    new Option('--acme-contact <email>', 'address to which the certificate authority may write')
      .env('WOLKE_ACME_CONTACT')
      .argParser(mailAddress),
    new Option('--acme-eab-kid <id>', 'key id of the external account binding').env('WOLKE_ACME_EAB_KID'),
    new Option('--acme-eab-key <key>', 'key of the external account binding, base64url')
      .env('WOLKE_ACME_EAB_KEY')
      .argParser(base64url),
    new Option('--acme-ca-file <file>', 'certificates (PEM) to trust besides the system defaults').env(
      'WOLKE_ACME_CA_FILE',
    ),
    new Option('--acme-allow-private', 'the certificate authority may have a private address').env(
      'WOLKE_ACME_ALLOW_PRIVATE',
    ),
    new Option('--acme-nonce-attempts <count>', 'how often a request is sent while its nonce is refused (default: 5)')
      .env('WOLKE_ACME_NONCE_ATTEMPTS')
      .argParser(count),
    new Option('--resolver <address>', 'resolver for checking the delegation of zones (default: that of the machine)')
      .env('WOLKE_RESOLVER')
      .argParser(resolverAddress),
    new Option(
      '--delegation-check <on|off>',
      'whether the delegation of zones is checked (default: on with --acme-directory)',
    )
      .env('WOLKE_DELEGATION_CHECK')
      .choices(['on', 'off']),
  ]
}

/** Checks these options against each other. Errors: `InvalidArgumentError`. */
export function checkAcme(options: AcmeConfig): void {
  if ((options.acmeEabKid === undefined) !== (options.acmeEabKey === undefined)) {
    throw new InvalidArgumentError('--acme-eab-kid and --acme-eab-key belong together')
  }
}
