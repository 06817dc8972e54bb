/** The vocabulary of stories, which go through the forms of the console with what they send. */
import type { Asked } from '../../../../console/commands/request.ts'
import type { Family, Life } from './life.ts'

export interface Step {
  /** The file and the component of the form; none for what a button does at once. */
  readonly form?: string
  readonly ask: (of: Life) => Asked | readonly Asked[]
  /** The labels that the form shows its resource to have. */
  readonly labels?: (of: Life) => Readonly<Record<string, string>>
  /** What stands in the place of a secret that is not shown. */
  readonly secrets?: Readonly<Record<string, string>>
  /** Whether what is asked for fails in the end, as the issuing of a certificate for somebody else's name. */
  readonly fails?: boolean
}

/** What shells, languages of configuration and JSON read as something else. */
export const nasty = `it's "a" \\ %s !x $(touch ran) \`touch ran\` \${x} %{y} \\n, =;`
export const lines = (text: string) => `#!/bin/sh\n${text}\n${text}\nEOF\n`
export const txt = String.raw`"it's \"$(touch ran)\" \\ \`touch ran\` %s !x"`

export const form = (form: string, ask: Step['ask'], more: Omit<Step, 'form' | 'ask'> = {}): Step => ({
  form,
  ask,
  ...more,
})
export const button = (ask: Step['ask'], more: Omit<Step, 'form' | 'ask'> = {}): Step => ({ ask, ...more })

/** A request about one resource, which shares its shape with those of other families. */
export const on = (of: Life, family: Family, named: string, act: string, body?: object): Asked => ({
  operation: `${family}_${act}`,
  params: family === 'zones' ? { id_or_name: String(of.id(family, named)) } : { id: of.id(family, named) },
  ...(body ? { body } : {}),
})

/** What every resource can be asked: its dialogs are shared. */
export const shared = (
  family: Family,
  named: string,
  field: 'name' | 'description' | undefined = 'name',
): readonly Step[] => [
  ...(field
    ? [
        form('shared/rename-dialog.tsx RenameDialog', (of) =>
          on(of, family, named, 'update', { [field]: `${named}-2` }),
        ),
        form('shared/rename-dialog.tsx RenameDialog', (of) =>
          on(of, family, `${named}-2`, 'update', { [field]: named }),
        ),
      ]
    : []),
  ...[
    { tier: 'front', 'example.com/kept': '' },
    { 'example.com/kept': 'yes', more: '1' },
  ].map((labels) =>
    form('shared/acts-dialogs.tsx LabelsDialog', (of) => on(of, family, named, 'update', { labels }), {
      labels: (of) => of.one(family, named).labels,
    }),
  ),
]
export const remove = (family: Family, named: string) =>
  form('shared/acts-dialogs.tsx DeleteDialog', (of) => on(of, family, named, 'remove'))
export const protect = (family: Family, named: string, ...levels: readonly string[]) =>
  [true, false].map((on_) =>
    button((of) =>
      on(of, family, named, 'changeProtection', Object.fromEntries(['delete', ...levels].map((level) => [level, on_]))),
    ),
  )
