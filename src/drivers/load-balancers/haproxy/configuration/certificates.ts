/** The files of certificates: one for each, which may be replaced at run time, and a list for each service. */
import type { BalancerCertificate, BalancerService } from '../../../../families/load-balancers/driver.ts'
import { refuse } from './text.ts'

/** The folder of these files. */
export const tlsFolder = 'tls'

/** The list of a service's certificates. The first one serves names that none of them has. */
export const listPath = ({ listenPort }: BalancerService) => `${tlsFolder}/${listenPort}.list`

const certificatePath = (id: number) => `${tlsFolder}/${id}.pem`

export const isCertificatePath = (path: string) => path.startsWith(`${tlsFolder}/`) && path.endsWith('.pem')

/** The files of all certificates, by path. Errors: a permanent `DriverError` for what is none. */
export function certificateFiles(services: readonly BalancerService[]): [string, string][] {
  return services
    .filter(({ protocol }) => protocol === 'https')
    .flatMap((service): [string, string][] => {
      const certificates = service.http?.certificates ?? []
      if (certificates.length === 0) throw refuse(`HTTPS without a certificate, on port ${service.listenPort}`)
      const list = certificates.map(({ id }) => `${certificatePath(id)}\n`).join('')
      return [[listPath(service), list], ...certificates.map(toFile)]
    })
}

function toFile({ id, chain, privateKey }: BalancerCertificate): [string, string] {
  const blocks = [...blocksOf(chain, 'CERTIFICATE'), ...blocksOf(privateKey, '[A-Z ]*PRIVATE KEY')]
  if (blocks.length < 2) throw refuse(`certificate ${id}, which is not in PEM`)
  return [certificatePath(id), blocks.join('')]
}

/** The blocks of a PEM text without what is between them: a blank line would end the command that replaces it. */
function blocksOf(text: string, label: string): string[] {
  const blocks = text.matchAll(new RegExp(`-----BEGIN (${label})-----[A-Za-z0-9+/=\\s]+-----END \\1-----`, 'g'))
  return [...blocks].map(([block]) => `${block.replace(/\s*\n\s*/g, '\n')}\n`)
}
