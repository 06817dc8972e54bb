/**
 * The scripts that make a host, which are those of lab/host. The sources read them there; build.mjs replaces this module
 * with their texts.
 */
import { readFileSync } from 'node:fs'

const read = (name: string) => readFileSync(new URL(`../../lab/host/${name}.sh`, import.meta.url), 'utf8')

export const accessScript: string = read('access')
export const centralScript: string = read('central')
export const certificatesScript: string = read('certificates')
export const incusFirstScript: string = read('incus-first')
export const incusJoinScript: string = read('incus-join')
export const makeImageScript: string = read('make-image')
export const networkScript: string = read('network')
export const networksScript: string = read('networks')
export const packagesScript: string = read('packages')
