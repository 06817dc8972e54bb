/** Scenarios: files that say what goes wrong, and when. */
import { isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { bodyCheck } from '../../kernel/contract/input.ts'
import { parseInstant } from '../../kernel/contract/instants.ts'
import { ApiError, type Problem } from '../../kernel/errors.ts'
import type { Offered } from './checks.ts'
import { ScenarioFile } from './contract.ts'
import { problemsOfAll } from './rules.ts'
import { texts } from './texts.ts'

let known: ReadonlyMap<string, ScenarioFile> | undefined

/** The scenarios that ship, by their names. */
export function shipped(): ReadonlyMap<string, ScenarioFile> {
  known ??= new Map(
    Object.entries(texts).map(([name, text]) => [name, { name, ...readScenario(text, `${name}.yaml`) }]),
  )
  return known
}

const checkShape = bodyCheck(ScenarioFile, 'wolke')

/**
 * Reads a scenario from YAML. With `offered` the names of the catalogue are checked, too. Errors: an Error whose message
 * has a line for each problem, such as `faults.yaml:12: faults[0].when.for: must be a duration`.
 */
export function readScenario(text: string, file: string, offered?: Offered): ScenarioFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const at = (offset: number) => `${file}:${lines.linePos(offset).line}`
  const refuse = (problems: readonly string[]): never => {
    throw new Error(problems.join('\n'))
  }
  const [broken] = document.errors
  if (broken) refuse([`${at(broken.pos[0])}: ${broken.message.split('\n')[0]}`])
  visit(document, {
    Alias(_, alias) {
      if (!alias.resolve(document)) refuse([`${at(alias.range![0])}: nothing is called '${alias.source}'`])
    },
  })
  const scenario: unknown = document.toJS({ maxAliasCount: -1 })
  const problems = shapeProblems(scenario) ?? contentProblems(scenario as ScenarioFile, offered)
  if (problems.length > 0)
    refuse(problems.map(({ field, message }) => `${at(offsetOf(document, pathOf(field)))}: ${field}: ${message}`))
  return scenario as ScenarioFile
}

/** Undefined for what has the shape of a scenario. */
function shapeProblems(scenario: unknown): readonly Problem[] | undefined {
  try {
    checkShape(scenario)
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { fields } = error.details as { fields: readonly { name: string; messages: readonly string[] }[] }
    return fields.map(({ name, messages }) => ({ field: name, message: messages.join(', ') }))
  }
}

function contentProblems({ clock, faults = [] }: ScenarioFile, offered: Offered | undefined): readonly Problem[] {
  const isTime = clock?.not_before === undefined || parseInstant(clock.not_before) !== undefined
  const message = 'must be a time such as 2030-01-31T00:00:00Z'
  return [
    ...(isTime ? [] : [{ field: 'clock.not_before', message }]),
    ...(offered ? problemsOfAll(faults, offered) : []),
  ]
}

/** The parts of a field such as `faults[2].when.for`. */
const pathOf = (field: string): (string | number)[] =>
  [...field.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) => (index === undefined ? name! : Number(index)))

/** Finds where a field is in the text, or else what is to have it. */
function offsetOf(document: ReturnType<typeof parseDocument>, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const name = path[length - 1]
    // The key of a field is on the line that its author looks at.
    const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === name) : undefined
    if (isScalar(pair?.key) && pair.key.range) return pair.key.range[0]
    const node = document.getIn(path.slice(0, length), true) as
      | { readonly range?: readonly number[] | null }
      | undefined
    if (node?.range) return node.range[0]!
  }
  return 0
}
