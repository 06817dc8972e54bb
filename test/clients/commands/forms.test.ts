/**
 * What the forms of the console show, pasted into a shell, does what their buttons do. Three Projects live the same life:
 * in one of them the buttons are pressed, in another commands of hcloud are pasted, in the third those of curl.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { type Client, commandsOf } from '../../../console/commands/panel.ts'
import type { Asked } from '../../../console/commands/request.ts'
import { builtIn } from '../../../src/catalogue/built-in.ts'
import { openCatalogue } from '../../../src/catalogue/catalogue.ts'
import { wolkeBase } from '../../../src/kernel/contract/bases.ts'
import { readDriven } from '../../console/kit/driven.ts'
import { forDatabasesInTurn, type World } from '../../kit/harness.ts'
import { selected } from '../../kit/samples/pasted.ts'
import { hcloudsBySince, skipWithout } from '../kit/clients.ts'
import { boxes } from './forms/boxes.ts'
import { begin, everything, type Family, hasCurl, type Life, projectOf, rowOf, touchedBy } from './forms/life.ts'
import { names } from './forms/names.ts'
import { people } from './forms/people.ts'
import { disksAndAddresses } from './forms/resources.ts'
import { servers } from './forms/servers.ts'
import type { Step } from './forms/steps.ts'

const hcloudFor = await hcloudsBySince()
/** Those that are told at the same time, because hcloud mostly waits. */
const stories: Readonly<Record<string, Readonly<Record<string, readonly Step[]>>>> = {
  servers: { servers },
  'all else': { addresses: disksAndAddresses, boxes, names, people },
}

function askedBy({ ask }: Step, of: Life): readonly Asked[] {
  const asked = ask(of)
  return (Array.isArray(asked) ? asked : [asked]) as readonly Asked[]
}

/** What the panel beside a form shows for a client; undefined where that has no command. */
function shown(client: Client, step: Step, of: Life, world: World): { text: string; since?: number } | undefined {
  const all = commandsOf(askedBy(step, of), {
    origin: new URL(world.baseUrl),
    labels: step.labels?.(of),
    rowOf,
    knownOf: ({ operation, params }) => of.known(operation, params?.id),
    say: (_, { kind }) => kind,
    andMore: String,
  })
  const one = all.find((each) => each.client === client)
  return one && 'text' in one ? { ...one, text: withSecrets(selected(one.text), step, client) } : undefined
}

/** Whoever pastes puts a secret where its name stands. */
function withSecrets(text: string, { secrets = {} }: Step, client: Client): string {
  return Object.entries(secrets).reduce((rest, [name, secret]) => {
    assert.ok(!rest.includes(secret))
    return rest.replaceAll(`<${name}>`, client === 'curl' ? JSON.stringify(secret).slice(1, -1) : secret)
  }, text)
}

/** What a Load Balancer may send to besides servers. */
const catalogue = openCatalogue({
  ...builtIn,
  external_addresses: ['a', 'b', 'c'].map((one) => ({
    project: projectOf(`addresses-${one}`),
    ip_range: '198.18.0.0/24',
  })),
})

type Lives = Readonly<Record<'button' | 'hcloud' | 'curl', Life>>

/** What only Wolke has is for curl. */
const isForHcloud = (step: Step, of: Life) =>
  askedBy(step, of).every(({ operation }) => rowOf(operation).base !== wolkeBase)

/** Has a step done in all lives; what the hcloud that is here is too old for is left to the button. */
async function live(step: Step, lives: Lives, world: World): Promise<void> {
  const press = async (of: Life) => {
    for (const asked of askedBy(step, of)) await of.send(asked)
  }
  const paste = async (of: Life, client: 'hcloud' | 'curl') => {
    const command = shown(client, step, of, world)
    assert.ok(command, `there is no command of ${client}`)
    const program = hcloudFor(command.since)?.program
    if (client === 'hcloud' && !program) return press(of)
    const { code, stderr } = await of.paste(command.text, program)
    assert.ok(code === 0 || step.fails, `${command.text}\n${stderr}`)
  }
  await Promise.all([
    press(lives.button),
    isForHcloud(step, lives.hcloud) ? paste(lives.hcloud, 'hcloud') : press(lives.hcloud),
    paste(lives.curl, 'curl'),
  ])
}

async function agree(all: readonly Life[], at: readonly Family[], said: string): Promise<void> {
  const [wanted, ...others] = await Promise.all(all.map((of) => of.look([...new Set(at)])))
  for (const one of others) assert.deepEqual(one, wanted, said)
}

// ---- The forms that there are ---------------------------------------------------------------------------------------

/** What shows the commands of one request, or a form that does. */
const panel = /<(Commands|ConfirmRequest|Equivalents|FormDialog|FormPage|LongFormPage)\b/g

/** What forms are made of. */
const parts = /^shared\/(confirm-request|equivalents|form-dialog|form-page|long-form-page)\.tsx /

const ofLab = 'changes the whole cloud, which the lives of the stories share'

/** Panels beside what is no form, and forms that no story can have. */
const noForms: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['Advance', 'Save', 'Fork', 'Reset', 'Restore', 'Forget', 'EndFork'].map((name) => [
      `admin/lab-dialogs.tsx ${name}`,
      ofLab,
    ]),
  ),
  ...Object.fromEntries(
    ['ReportDialogs', 'Start'].map((name) => [
      `report/report-dialogs.tsx ${name}`,
      'is about what all clients of the cloud do, and the stories are clients',
    ]),
  ),
  ...Object.fromEntries(
    ['FolderDialog', 'MoveDialog', 'RemoveDialog'].map((name) => [
      `storage-boxes/file-dialogs.tsx ${name}`,
      'boxes of the cloud of the stories hold no files',
    ]),
  ),
  'activity/entry-sheet.tsx EntrySheet': 'shows what was read, and acts that failed and can be tried again as they are',
  'raw/request.tsx Request': 'makes any request; console-commands.test.ts has all of them',
  'reach/page.tsx ReachPage': 'only reads',
}

/** Reads the parts of pages in a folder of the console: each file with its text. */
function readFolder(folder: string): (readonly [file: string, text: string])[] {
  const place = new URL(`../../../console/${folder}/`, import.meta.url)
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('.tsx'))
  return files.map((file) => [file, readFileSync(new URL(file, place), 'utf8')])
}

/** The forms in the pages of the console: by file and component, with the number of their panels. */
function formsInPages(): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const [file, text] of ['pages', 'families'].flatMap(readFolder)) {
    for (const part of text.split(/^(?=(?:export )?function )/m)) {
      const place = `${file} ${/function (\w+)/.exec(part)?.[1]}`
      const count = part.match(panel)?.length ?? 0
      if (count > 0 && !parts.test(place)) found.set(place, count)
    }
  }
  return found
}

describe('the forms of the console', () => {
  const steps = Object.values(stories).flatMap((all) => Object.values(all).flat())

  it('are for hcloud', (t) => {
    if (!hcloudFor()) skipWithout(t, 'hcloud is not installed')
  })

  it('are all pasted', () => {
    const pasted = Map.groupBy(steps, ({ form }) => form)
    const forms = formsInPages()
    const missing = [...forms].filter(([form, count]) => !(form in noForms) && (pasted.get(form)?.length ?? 0) < count)
    assert.deepEqual(missing, [], 'paste these in the steps of a story')
    const gone = [...pasted.keys(), ...Object.keys(noForms)].filter((form) => form !== undefined && !forms.has(form))
    assert.deepEqual(gone, [], 'there are no such forms')
  })

  it('ask for all that the console changes', () => {
    // What steps ask for does not depend on what there is.
    const anybody = new Proxy({}, { get: (_, key): unknown => (key === 'one' ? () => anyResource : () => 1) }) as Life
    const anyResource: object = { labels: {}, public_net: { ipv4: {} }, services: [] }
    const asked = new Set(
      steps.flatMap((step) =>
        askedBy(step, anybody).flatMap(({ operation, afterwards = [] }) => [operation, ...afterwards]),
      ),
    )
    const missing = [...new Set(Object.values(readDriven()).flat())].filter(
      (operation) =>
        !asked.has(operation) &&
        !operation.startsWith('lab_') &&
        rowOf(operation).needs !== 'person' &&
        rowOf(operation).needs !== 'anyone',
    )
    // Boxes hold no files here, and the bytes of one are no text that a panel could show.
    const ofFiles = ['createFolder', 'removeFile', 'removeUpload', 'renameFile', 'uploadPiece'].map(
      (key) => `storage_boxes_${key}`,
    )
    assert.deepEqual(missing, ['management_retryMail', ...ofFiles], 'paste these in the steps of a story')
  })
})

async function tell(name: string, steps: readonly Step[], world: World): Promise<void> {
  const [button, hcloud, curl] = [
    await begin(world, `${name}-a`),
    await begin(world, `${name}-b`),
    await begin(world, `${name}-c`),
  ]
  const lives = { button, hcloud, curl }
  const all = Object.values(lives)
  try {
    for (const of of all) await of.look(everything)
    for (const step of steps) {
      const said = `${step.form ?? 'a button'}: ${JSON.stringify(askedBy(step, button))}`
      const texts = [shown('hcloud', step, hcloud, world)?.text, shown('curl', step, curl, world)?.text].join('\n\n')
      await live(step, lives, world).catch((cause: unknown) => assert.fail(new Error(said, { cause })))
      await agree(all, askedBy(step, button).flatMap(touchedBy), `${said}\n${texts}`)
    }
    await agree(all, everything, 'in the end')
  } finally {
    for (const of of all) of.end()
  }
}

forDatabasesInTurn('forms of the console show what their buttons do', (open) => {
  for (const [title, told] of Object.entries(stories)) {
    it(`to ${title}`, async () => {
      assert.ok(hasCurl, 'curl is not installed')
      const world = await open({ catalogue })
      await Promise.all(Object.entries(told).map(([name, steps]) => tell(name, steps, world)))
    })
  }
})
