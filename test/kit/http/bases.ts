/** Where the families of the API are. */
import { families } from '../../../src/families.ts'
import { publicBase } from '../../../src/kernel/contract/bases.ts'

const bases = new Map(families.map(({ name, base }) => [name, base]))

/** The URL of a path below the root of its family; `baseUrl` is that of the root of the public API, through any door. */
export function urlIn(baseUrl: string, path: string): string {
  const [, family = ''] = path.split(/[/?]/)
  const base = bases.get(family) ?? publicBase
  return (base === publicBase ? baseUrl : baseUrl.slice(0, -publicBase.length) + base) + path
}
