/**
 * The lists of what the slices of families in console/families have. A part of a slice is a file with a fixed name, so
 * nothing names a family to list it: whoever adds one adds its folder.
 */
import { existsSync, readdirSync } from 'node:fs'

const folder = new URL('../console/families/', import.meta.url)

/** Every part that is listed, by the name of its file and of what that exports. */
const parts = {
  'entry.ts': 'entry',
  'hcloud.ts': 'hcloud',
  'terraform.ts': 'terraform',
  'server-part.ts': 'serverPart',
  'states.ts': 'states',
  'prices.ts': 'prices',
  'failures.ts': 'failures',
  'retries.ts': 'retries',
  'names.en.ts': 'names',
  'names.de.ts': 'names',
  'refusals.en.ts': 'refusals',
  'refusals.de.ts': 'refusals',
  'messages.en.ts': 'messages',
  'messages.de.ts': 'messages',
}

interface Slice {
  readonly folder: string
  /** How the API spells the family: `load_balancers`. */
  readonly family: string
}

const slices: readonly Slice[] = readdirSync(folder)
  .sort()
  .map((name) => ({ folder: name, family: name.replaceAll('-', '_') }))

const having = (file: string) => slices.filter((slice) => existsSync(new URL(`${slice.folder}/${file}`, folder)))

/** A module that has a part of all families, by their names. */
function listOf(file: string, name: string): string {
  const found = having(file)
  const imports = found.map((one) => `import { ${name} as ${one.family} } from '../families/${one.folder}/${file}'\n`)
  const members = found.map(({ family }) => `  ${family},\n`)
  return `${imports.join('')}\nexport const ${name} = {\n${members.join('')}}\n`
}

/** The types of the operations of all families, by their names. */
function contracts(): string {
  const found = having('contract.ts')
  const imports = found.map(
    (one) => `import type { Contract as ${one.family} } from '../families/${one.folder}/contract.ts'\n`,
  )
  const members = found.map(({ family }) => `  ${family}: ${family}\n`)
  return `${imports.join('')}\nexport interface Contracts {\n${members.join('')}}\n`
}

/** The modules of console/generated that list the slices, by the names of their files. */
export const sliceLists: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(parts).map(([file, name]) => [file, listOf(file, name)])),
  'contracts.ts': contracts(),
}
