/** Injects faults into actions, at the steps of the engine. */
import { DriverError, type ResourceRef } from '../../kernel/actions/define.ts'
import { type Faults as FaultPoints, type FaultyAction, Postponed } from '../../kernel/process/faults.ts'
import { durationOf, longestMs } from './durations.ts'
import type { Facts } from './facts.ts'
import type { Occasion } from './matching.ts'
import type { Rule } from './rule.ts'
import type { Rules } from './rules.ts'

/** Strikes at `points`, after whoever is there already. */
export function faultPointsOf(rules: Rules, facts: Facts, points: FaultPoints): FaultPoints {
  return {
    longestMs,
    get held() {
      return rules.held
    },
    async reach(place, action) {
      await points.reach(place, action)
      const step = rules.isEmpty ? undefined : forwardStepAt(place)
      if (action && step !== undefined) await strike(rules, facts, action, step)
    },
  }
}

/** The name of the step that is about to take effect; undefined at other points and where steps are undone. */
function forwardStepAt(place: string): string | undefined {
  const [, step] = /#(.+):before-effect$/.exec(place) ?? []
  return step?.endsWith('-undo') ? undefined : step
}

/** Errors: `DriverError` when the action fails here; `Postponed`. */
async function strike(rules: Rules, facts: Facts, action: FaultyAction, step: string): Promise<void> {
  const isForStep = ({ effect: { action: fault } }: Rule) => fault !== undefined && (fault.step ?? step) === step
  const occasion = occasionOf(facts, action)
  const hit = { operation: action.command, projectId: action.project_id, actionId: action.id }
  for await (const active of rules.hitting(occasion, hit, isForStep)) {
    const { takes, stays_locked: isStuck, error } = active.rule.effect.action!
    if (takes !== undefined && active.decisions.get(action.id) === 'hit') {
      active.decide(action.id, 'postponed')
      throw new Postponed(durationOf(takes))
    }
    if (isStuck) {
      active.decide(action.id, 'held')
      throw new Postponed(0)
    }
    if (error) throw new DriverError(error.message, { code: error.code, transient: false })
  }
}

function occasionOf(facts: Facts, { command, project_id: projectId, resources }: FaultyAction): Occasion {
  const about = JSON.parse(resources) as readonly ResourceRef[]
  return {
    command,
    projectId,
    types: about.map(({ type }) => type),
    ids: about.map(({ id }) => id),
    projectName: () => facts.projectName(projectId),
    async subjects() {
      const found = await Promise.all(about.map((one) => facts.ofResource(projectId, one)))
      return found.flatMap((subject) => subject ?? [])
    },
  }
}
