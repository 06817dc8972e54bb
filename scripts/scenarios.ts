/** Writes docs/scenarios.md from the scenarios that ship; `--check` fails when the page is out of date. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { ScenarioFile } from '../src/lab/faults/contract.ts'
import { shipped } from '../src/lab/faults/scenarios.ts'
import { texts } from '../src/lab/faults/texts.ts'

const intro = readFileSync(new URL('scenarios.md', import.meta.url), 'utf8')

/** What the command line is told; the tests execute it. */
function example({ run, exit, says }: NonNullable<ScenarioFile['examples']>[number]): string {
  const end = exit === null ? 'does not end' : exit === 0 ? 'works' : 'fails'
  return `- \`${run}\` ${end}${says === undefined ? '' : `: \`${says}\``}`
}

function section([name, { summary = '', teaches = '', examples = [] }]: [string, ScenarioFile]): string {
  const rules = texts[name]!.replace(/^summary:.*\n/m, '')
    .replace(/^teaches:[^\n]*\n(?: .*\n)*/m, '')
    .replace(/^examples:\n(?:[ -].*\n)*/m, '')
    .trim()
  const parts = [`## ${name}`, `${summary}. ${teaches}`, `\`\`\`yaml\n${rules}\n\`\`\``]
  return [...parts, 'What hcloud does in it:', examples.map(example).join('\n')].join('\n\n')
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
