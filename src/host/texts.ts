/**
 * The scripts that make a host, which are those of lab/host. The sources read them there; build.mjs replaces this module
 * with their texts.
 */
import { readFileSync } from 'node:fs'

const read = (name: string) => readFileSync(new URL(`../../lab/${name}`, import.meta.url), 'utf8')

export const accessScript: string = read('host/access.sh')
export const centralScript: string = read('host/central.sh')
export const certificatesScript: string = read('host/certificates.sh')
export const incusFirstScript: string = read('host/incus-first.sh')
export const incusJoinScript: string = read('host/incus-join.sh')
export const makeImageScript: string = read('host/make-image.sh')
export const networkScript: string = read('host/network.sh')
export const networksScript: string = read('host/networks.sh')
export const packagesScript: string = read('host/packages.sh')
