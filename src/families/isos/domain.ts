/** Which ISOs a request asks for, and which ones fit a server. Pure. */
import { type Architecture, type Iso, isoIsListed } from '../../catalogue/catalogue.ts'

export interface IsoQuery {
  readonly name?: string | undefined
  readonly architecture?: readonly Architecture[] | undefined
  readonly include_architecture_wildcard: boolean
}

/** The ISOs that a list shows at `now` (ms since the epoch), in their order. */
export function selectIsos(isos: readonly Iso[], query: IsoQuery, now: number): Iso[] {
  const { name, architecture: wanted, include_architecture_wildcard: anyToo } = query
  const fits = ({ architecture }: Iso) =>
    wanted === undefined || (architecture === null ? anyToo : wanted.includes(architecture))
  return isos.filter((iso) => (name === undefined || iso.name === name) && fits(iso) && isoIsListed(iso, now))
}

/** Why a server of this architecture cannot get the ISO at `now`; undefined when it can. */
export function isoUnfitFor(iso: Iso, architecture: Architecture, now: number): string | undefined {
  if (!isoIsListed(iso, now)) return 'the ISO is no longer available'
  if (iso.architecture !== null && iso.architecture !== architecture) {
    return `the ISO is for ${iso.architecture}, the server is ${architecture}`
  }
  return undefined
}
