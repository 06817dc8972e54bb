/** The authority of the hosts, and the pairs of this host and of Wolke. */
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import type { Machine } from '../machine.ts'
import { authorityCert, authorityFolder, folder, wolkeCert, wolkeKey } from '../paths.ts'
import type { Step } from '../steps.ts'
import { certificatesScript } from '../texts.ts'

/** Certificates are renewed by a further run this long before they end, in milliseconds. */
const renewalMs = 30 * 86_400_000

/** The name of Wolke's pair has a dot, as that of no host has. */
const wolkePair = 'wolke.service'

/** Makes the authority with the first pair. Its key stays on the first host. */
export function authorityStep({ decided: { name, underlay } }: Machine): Step {
  const at = (file: string) => `${authorityFolder}/${file}`
  const pairs = [
    { name, address: underlay.address },
    { name: wolkePair, address: '127.0.0.1' },
  ]
  const isMade = (pair: (typeof pairs)[number]) => isGood(at(`${pair.name}.crt`), at('ca.crt'), pair.address)
  return {
    name: 'authority',
    title: 'Certificates of the host and of Wolke',
    isSo: async () => pairs.every(isMade),
    scripts: () => [
      {
        name: 'authority-folder',
        text: `install -d -m 755 /etc/wolke ${folder}\ninstall -d -m 700 ${authorityFolder}\n`,
      },
      ...pairs
        .filter((pair) => !isMade(pair))
        .map((pair) => ({
          name: 'host-certificates',
          text: certificatesScript,
          args: [authorityFolder, pair.name, pair.address],
        })),
    ],
    undo: async () => rmSync(authorityFolder, { recursive: true, force: true }),
  }
}

/** True for a certificate of an address that its authority has signed, and that is good for a while. */
export function isGood(path: string, authority: string, address: string): boolean {
  if (!existsSync(path) || !existsSync(authority)) return false
  const [own, signer] = [path, authority].map((file) => new X509Certificate(readFileSync(file)))
  const isLasting = Date.parse(own!.validTo) > Date.now() + renewalMs
  return isLasting && own!.checkIP(address) === address && own!.verify(signer!.publicKey)
}

const sameContent = (one: string, other: string) =>
  existsSync(one) && existsSync(other) && readFileSync(one).equals(readFileSync(other))

/** A further host has its key already, and gets from the first one what that has signed. */
export function joinedPairStep({ decided: { name, joined } }: Machine): Step {
  return {
    name: 'joined-pair',
    title: 'Certificate of the host, signed by the first one',
    files: async () =>
      joined
        ? [
            { path: `${authorityFolder}/ca.crt`, text: joined.authority },
            { path: `${authorityFolder}/${name}.crt`, text: joined.certificate },
          ]
        : [],
    isSo: async () => true,
    scripts: () => [],
    undo: async () => rmSync(authorityFolder, { recursive: true, force: true }),
  }
}

/** Hands the pairs to those who use them: OVN as root, and the service of Wolke. */
export function handOutStep({ decided: { name, joined } }: Machine): Step {
  const at = (file: string) => `${authorityFolder}/${file}`
  const ofHost = [
    ['-m 644', at('ca.crt'), '/etc/ovn/ca.crt'],
    ['-m 644', at(`${name}.crt`), '/etc/ovn/host.crt'],
    ['-m 600', at(`${name}.key`), '/etc/ovn/host.key'],
  ] as const
  const ofWolke = [
    ['-m 644', at('ca.crt'), authorityCert],
    ['-m 644', at(`${wolkePair}.crt`), wolkeCert],
    ['-m 640 -g wolke', at(`${wolkePair}.key`), wolkeKey],
  ] as const
  const copies = joined ? ofHost : [...ofHost, ...ofWolke]
  const text = [
    'install -d -m 755 /etc/ovn',
    ...copies.map(([how, from, to]) => `install ${how} ${from} ${to}`),
    '',
  ].join('\n')
  return {
    name: 'pairs',
    title: 'Certificates where they are used',
    isSo: async () => copies.every(([, from, to]) => sameContent(from, to)),
    scripts: () => [{ name: 'pairs', text }],
    async undo() {
      for (const [, , to] of copies) rmSync(to, { force: true })
    },
  }
}
