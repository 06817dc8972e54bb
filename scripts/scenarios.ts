/** Writes docs/scenarios.md from the scenarios that ship; `--check` fails when the page is out of date. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { ScenarioFile } from '../src/lab/faults/contract.ts'
import { shipped } from '../src/lab/faults/scenarios.ts'
import { texts } from '../src/lab/faults/texts.ts'

const intro = readFileSync(new URL('scenarios.md', import.meta.url), 'utf8')

type Examples = NonNullable<ScenarioFile['examples']>

const clients: Readonly<Record<keyof Examples, string>> = {
  hcloud: 'hcloud',
  python: 'the Python library',
  terraform: 'Terraform, with one server in fsn1',
}

/** A line of what a client is told; the tests execute it. */
function example({ run, exit, says }: NonNullable<Examples['hcloud']>[number]): string {
  const end = exit === null ? 'does not end' : exit === 0 ? 'works' : 'fails'
  const code = run.split('\n').map((line) => `\`${line.trim()}\``)
  return `- ${code.join(' ')} ${end}${says === undefined ? '' : `: \`${says}\``}`
}

function told([client, examples]: [string, Examples['hcloud']]): string {
  return `With ${clients[client as keyof Examples]}:\n\n${(examples ?? []).map(example).join('\n')}`
}

function section([name, { summary = '', teaches = '', examples = {} }]: [string, ScenarioFile]): string {
  const rules = texts[name]!.replace(/^summary:.*\n/m, '')
    .replace(/^teaches:[^\n]*\n(?: .*\n)*/m, '')
    .replace(/^examples:\n(?: .*\n)*/m, '')
    .trim()
  const parts = [`## ${name}`, `${summary}. ${teaches}`, `\`\`\`yaml\n${rules}\n\`\`\``]
  return [...parts, ...Object.entries(examples).map(told)].join('\n\n')
}

const page = `${[intro.trim(), ...[...shipped()].map(section)].join('\n\n')}\n`
const file = new URL('../docs/scenarios.md', import.meta.url)
if (!process.argv.includes('--check')) writeFileSync(file, page)
else if (!existsSync(file) || readFileSync(file, 'utf8') !== page) {
  console.error(
    'docs/scenarios.md differs from the scenarios in src: run `node scripts/scenarios.ts` and commit the file',
  )
  process.exitCode = 1
}
