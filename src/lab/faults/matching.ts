/** Tells which requests and actions a rule is about. */
import type { Static } from 'typebox'
import type { Labels } from '../../kernel/contract/labels.ts'
import { matches, parseSelector, type Selector } from '../../kernel/contract/selectors.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { Match } from './contract.ts'
import { operationNamed } from './known.ts'

export type MatchBody = Static<typeof Match>

/** The subject of a request or an action, as far as it says so. */
export interface Subject {
  readonly id?: number | undefined
  readonly name?: string | undefined
  readonly labels?: Labels | undefined
  /** Names. */
  readonly location?: string | undefined
  readonly serverType?: string | undefined
}

/** A request or an action that a rule may hit. */
export interface Occasion {
  /** The id of the operation; undefined for an action. */
  readonly operation?: string
  readonly method?: string
  /** The command of an action. */
  readonly command?: string
  readonly projectId: ProjectId | undefined
  /** The types of the resources that it is about. */
  readonly types: readonly string[]
  readonly ids: readonly number[]
  projectName(): Promise<string | undefined>
  subjects(): Promise<readonly Subject[]>
}

/** Tells whether something fits. What costs most to know is asked last. */
export type Fits = (occasion: Occasion) => Promise<boolean>

/** With `onlyWanted` a change is about what comes of it, and not about what there is. */
export function matcherOf(match: MatchBody, onlyWanted = false): Fits {
  const { operation, method, project, resource, id, command } = match
  const operationId = operation === undefined ? undefined : operationNamed(operation)?.id
  const isAbout = subjectMatcher(match)
  return async (occasion) => {
    if (operationId !== undefined && occasion.operation !== operationId) return false
    if (method !== undefined && occasion.method !== method) return false
    if (command !== undefined && occasion.command !== command) return false
    if (resource !== undefined && !occasion.types.includes(resource)) return false
    if (id !== undefined && !occasion.ids.includes(id)) return false
    if (project !== undefined && !(await isProject(project, occasion))) return false
    if (isAbout === undefined) return true
    const subjects = await occasion.subjects()
    return (onlyWanted ? subjects.slice(-1) : subjects).some(isAbout)
  }
}

/** Tells whether a Project, by its name or its id, is the one that something is about. */
export async function isProject(project: string, { projectId, projectName }: Occasion): Promise<boolean> {
  return project === String(projectId) || project === (await projectName())
}

/** Undefined for rules that ask nothing of what they are about. */
function subjectMatcher(match: MatchBody): ((subject: Subject) => boolean) | undefined {
  const { name, label_selector: labels, location, server_type: serverType } = match
  const conditions = [
    ...(name === undefined ? [] : [nameMatcher(name)]),
    ...(labels === undefined ? [] : [labelMatcher(selectorIn(labels))]),
    ...(location === undefined ? [] : [(subject: Subject) => subject.location === location]),
    ...(serverType === undefined ? [] : [(subject: Subject) => subject.serverType === serverType]),
  ]
  return conditions.length === 0 ? undefined : (subject) => conditions.every((holds) => holds(subject))
}

const labelMatcher = (selector: Selector) => (subject: Subject) =>
  subject.labels !== undefined && matches(selector, subject.labels)

/** A name in which `*` stands for any characters. */
function nameMatcher(pattern: string): (subject: Subject) => boolean {
  const [start = '', ...others] = pattern.split('*')
  if (others.length === 0) return ({ name }) => name === pattern
  const end = others.pop()!
  return ({ name }) => {
    if (!name?.startsWith(start) || name.length < start.length + end.length || !name.endsWith(end)) return false
    let rest = name.slice(start.length, name.length - end.length)
    return others.every((part) => {
      const at = rest.indexOf(part)
      if (at !== -1) rest = rest.slice(at + part.length)
      return at !== -1
    })
  }
}

function selectorIn(text: string): Selector {
  const parsed = parseSelector(text)
  if (!parsed.ok) throw new Error('a rule was not checked')
  return parsed.selector
}
