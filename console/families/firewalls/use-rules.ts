/** The state of the editor of rules: drafts, what is wrong with them, and what they change. */
import { useEffect, useMemo, useState } from 'react'
import type { Direction } from '../../../src/families/firewalls/domain.ts'
import {
  type Content,
  changesOf,
  contentOf,
  type Draft,
  draftsOf,
  followed,
  hasPorts,
  isSame,
  judge,
  newDraft,
  rebased,
  rulesOf,
} from './draft.ts'
import type { Rule } from './rule.ts'

export type RulesEditor = ReturnType<typeof useRules>

/** `current` are the rules in force; drafts follow them as long as nothing was changed here. */
export function useRules(current: readonly Rule[], initial?: readonly Content[]) {
  const [base, setBase] = useState(current)
  const [drafts, setDrafts] = useState<readonly Draft[]>(() =>
    initial ? initial.map((content) => newDraft(content)) : draftsOf(current),
  )
  const changes = useMemo(() => changesOf(base, drafts), [base, drafts])
  const judgement = useMemo(() => judge(drafts), [drafts])
  const isDirty = changes.length > 0
  const isElsewhere = !areSame(base, current)
  const take = (rules: readonly Rule[]) => {
    setBase(rules)
    setDrafts(draftsOf(rules))
  }
  useEffect(() => {
    if (!isElsewhere || isDirty) return
    setBase(current)
    setDrafts(draftsOf(current))
  }, [isElsewhere, isDirty, current])
  const edit = (key: number, part: Partial<Draft>) =>
    setDrafts((all) => all.map((one) => (one.key === key ? changed(one, part) : one)))
  return {
    base,
    drafts,
    changes,
    judgement,
    isDirty,
    /** True while there are changes here and the rules were changed elsewhere as well. */
    isElsewhere: isElsewhere && isDirty,
    edit,
    add: (contents: readonly (Partial<Content> & { readonly direction: Direction })[]) => {
      const more = contents.map((content) => newDraft(content))
      setDrafts((all) => [...all, ...more])
      return more
    },
    duplicate: (key: number) => {
      const source = drafts.find((one) => one.key === key)
      if (!source) return undefined
      const copy = newDraft(source)
      setDrafts((all) => all.flatMap((one) => (one.key === key ? [one, copy] : [one])))
      return copy
    },
    remove: (key: number) =>
      setDrafts((all) =>
        all.flatMap((one) => {
          if (one.key !== key) return [one]
          return one.origin === undefined ? [] : [{ ...one, isRemoved: true }]
        }),
      ),
    restore: (key: number) =>
      setDrafts((all) => all.map((one) => (one.key === key ? { ...one, isRemoved: false } : one))),
    move: (key: number, by: 1 | -1) => setDrafts((all) => moved(all, key, by)),
    /** Gives a rule back what it had. */
    revert: (key: number) =>
      setDrafts((all) =>
        all.flatMap((one) => {
          if (one.key !== key) return [one]
          const before = one.origin === undefined ? undefined : base[one.origin]
          return before ? [{ ...one, ...contentOf(before), isRemoved: false }] : []
        }),
      ),
    discard: () => take(base),
    /** Takes over what is in force. */
    take,
    /** Tells that what was sent is in force now. What was edited in the meantime stays. */
    applied: (sent: readonly Draft[]) => {
      setBase(rulesOf(sent))
      setDrafts((all) => followed(all, sent))
    },
    /** Keeps the drafts, on top of what came from elsewhere. */
    overwrite: () => {
      setDrafts((all) => rebased(all, current))
      setBase(current)
    },
  }
}

function areSame(a: readonly Rule[], b: readonly Rule[]): boolean {
  return a.length === b.length && a.every((rule, index) => isSame(contentOf(rule), contentOf(b[index]!)))
}

function changed(draft: Draft, part: Partial<Draft>): Draft {
  const next = { ...draft, ...part }
  return hasPorts(next.protocol) ? next : { ...next, port: '' }
}

/** Moves a rule by one place among those of its direction. */
function moved(drafts: readonly Draft[], key: number, by: 1 | -1): readonly Draft[] {
  const at = drafts.findIndex((one) => one.key === key)
  const draft = drafts[at]
  if (!draft) return drafts
  let to = at + by
  while (drafts[to] && drafts[to]!.direction !== draft.direction) to += by
  if (!drafts[to]) return drafts
  const next = drafts.toSpliced(at, 1)
  next.splice(to, 0, draft)
  return next
}
