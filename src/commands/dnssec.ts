/** `wolke dnssec` lets zones be signed, rolls their keys, and shows what their parents are to have. */
import { Command } from 'commander'
import { administeredOption } from '../config/config.ts'
import { partsAt } from '../families/zones/signing/domain.ts'
import { ownerOf, type SeenSigning, signingNamed, signings } from '../families/zones/signing/host.ts'
import { keysLedTo, wantedDs } from '../families/zones/signing/parent.ts'
import {
  beginStep,
  insertSigning,
  type LockedSigning,
  noteSubmitted,
  setSigning,
  signingOf,
} from '../families/zones/signing/store.ts'
import { lockZone } from '../families/zones/store.ts'
import type { Database, Transaction } from '../kernel/data/db.ts'
import { timestamp } from '../kernel/process/clock.ts'
import type { ProjectScope } from '../kernel/scope.ts'
import { keyTag } from '../protocols/net/dns/dnskeys.ts'
import { printRdata } from '../protocols/net/dns/rdata.ts'
import type { Administer, AdministerOptions } from './administer.ts'
import { type Confirmed, confirm, letGo, yesOption } from './confirmed.ts'
import { CommandFailure } from './failure.ts'
import { jsonOption, type ListOptions, type Print, printList } from './output.ts'

type SigningOptions = AdministerOptions & ListOptions & Confirmed

export function dnssecCommand(administer: Administer): Command {
  const command = new Command('dnssec').description('let zones be signed, and change their keys')
  const change = (name: string, description: string, said: string, work: Work) =>
    command
      .command(`${name} <zone>`)
      .description(description)
      .addOption(administeredOption())
      .action((zone: string, { database }: SigningOptions) =>
        administer(database, async (db, print) => {
          await changeSigning(db, zone, work)
          print(`${zone} ${said}`)
        }),
      )
  addLists(command, administer)
  change('enable', 'let a zone be signed', 'will be signed by the server within a minute', enable)
  change('roll', 'give a signed zone another key', 'gets another key; its parent needs another DS record later', roll)
  change(
    'submitted',
    'say that the parent of a zone has the DS records that it is to have, where parents are not asked',
    'goes on as if its parent had been asked',
    submitted,
  )
  command
    .command('disable <zone>')
    .description('let a zone be signed no longer, once its parent has no DS record of it')
    .addOption(administeredOption())
    .addOption(yesOption())
    .action((zone: string, { database, ...options }: SigningOptions) => {
      confirm(options, `ask the parent of ${zone} to remove its DS records, and end its signatures then`)
      return administer(database, async (db, print) => {
        await changeSigning(db, zone, disable)
        print(`${zone} stays signed until its parent has no DS record of it`)
      })
    })
  return command
}

function addLists(command: Command, administer: Administer): void {
  command
    .command('list')
    .description('list signed zones: name, step, its end, tags of their keys, tags of the DS records of their parents')
    .addOption(administeredOption())
    .addOption(jsonOption())
    .action(({ database, ...options }: SigningOptions) =>
      administer(database, async (db, print) =>
        printList(print, allShown(db), options, ({ zone, step, until, keys, parent }) => [
          ...[zone, step, until ?? '', keys.map(({ tag }) => tag).join(' ')],
          parent?.ds.map((ds) => ds.split(' ')[0]).join(' ') ?? '',
        ]),
      ),
    )
  command
    .command('show <zone>')
    .description('show how far a zone is, its keys, and the DS record that its parent is to have')
    .addOption(administeredOption())
    .addOption(jsonOption())
    .action((zone: string, { database, ...options }: SigningOptions) =>
      administer(database, async (db, print) => {
        const found = await signingNamed(db.query, zone)
        if (!found) throw new CommandFailure(`${zone} is not signed`)
        if (options.json) return printList(print, [shown(found)], options, () => [])
        printSigning(print, shown(found))
      }),
    )
}

// ---- Changes -------------------------------------------------------------------------------------------------------

type Work = (tx: Transaction, scope: ProjectScope, zone: Locked) => Promise<void>

interface Locked {
  readonly zone: LockedSigning['zone']
  /** Undefined for a zone that is not signed. */
  readonly signing: LockedSigning | undefined
}

/** Changes how a zone is signed, in one transaction with its entry in the audit log. Errors: `CommandFailure`. */
async function changeSigning(db: Database, name: string, work: Work): Promise<void> {
  const owner = await ownerOf(db.query, name)
  if (!owner) throw new CommandFailure(`there is no zone ${name}`)
  await letGo(db, async (tx) => {
    const zone = await lockZone(tx, owner.scope, String(owner.id))
    await work(tx, owner.scope, { zone, signing: await signingOf(tx, owner.scope, zone) })
    return { projectId: owner.scope.projectId, subjects: [zone.id] }
  })
}

async function enable(tx: Transaction, scope: ProjectScope, { zone, signing }: Locked): Promise<void> {
  if (signing) throw new CommandFailure(`${zone.name} is signed already`)
  if (zone.mode === 'secondary') throw new CommandFailure(`${zone.name} is a secondary zone, which its primaries sign`)
  await insertSigning(tx, scope, zone)
}

/** Errors: `CommandFailure` for a zone that is not at one of some steps. */
function requireStep({ zone, signing }: Locked, ...steps: readonly LockedSigning['step'][]): LockedSigning {
  if (!signing) throw new CommandFailure(`${zone.name} is not signed`)
  if (steps.includes(signing.step)) return signing
  throw new CommandFailure(`${zone.name} is at the step ${signing.step}; this needs ${steps.join(' or ')}`)
}

async function roll(tx: Transaction, scope: ProjectScope, locked: Locked): Promise<void> {
  requireStep(locked, 'signed')
  await setSigning(tx, scope, locked.zone.id, { wants_roll: 1, due: 0 })
}

async function submitted(tx: Transaction, scope: ProjectScope, locked: Locked): Promise<void> {
  await noteSubmitted(tx, scope, requireStep(locked, 'submitting', 'leaving'))
}

async function disable(tx: Transaction, scope: ProjectScope, locked: Locked): Promise<void> {
  requireStep(locked, 'signing', 'signed')
  await beginStep(tx, scope, locked.zone, { step: 'leaving', until: 0 })
}

// ---- What is shown -------------------------------------------------------------------------------------------------

async function* allShown({ query }: Database) {
  for await (const one of signings(query)) yield shown(one)
}

function shown({ name, step, until, keys, parent_ds, parent_checked, is_seen, wants_roll }: SeenSigning) {
  const parts = keys.length > 0 ? partsAt(step, keys) : undefined
  const dataOf = ({ dnskey }: { readonly dnskey: string }) => Buffer.from(dnskey, 'base64')
  const records =
    parent_ds === null ? undefined : (JSON.parse(parent_ds) as string[]).map((hex) => Buffer.from(hex, 'hex'))
  const led = records && keysLedTo(name, keys, records)
  return {
    zone: name,
    step,
    until: until > 0 ? timestamp(until) : null,
    rolls_next: wants_roll === 1,
    ds: wantedDs({ name, step, keys }) ?? null,
    keys: keys.map((key) => ({
      tag: keyTag(dataOf(key)),
      signs: key === parts?.signing ? 'zone' : 'keys',
      at_parent: led?.includes(key) ?? null,
      created: key.created,
    })),
    parent: records ? { ds: records.map(dsText), checked: parent_checked, as_wanted: is_seen === 1 } : null,
  }
}

const dsText = (data: Buffer) => printRdata('DS', data) ?? data.toString('hex')
const atParent = { true: ', its parent leads to it', false: ', its parent does not lead to it', null: '' } as const

function printSigning(print: Print, { zone, step, until, ds, keys, parent }: ReturnType<typeof shown>): void {
  print(`${zone} is at the step ${step}${until === null ? '' : ` until ${until} at least`}`)
  for (const { tag, signs, at_parent, created } of keys) {
    print(`key ${tag} of ${created} signs ${signs === 'zone' ? 'the zone' : 'the keys'}${atParent[`${at_parent}`]}`)
  }
  const none = `its parent is to have no DS record ${step === 'leaving' ? 'any more' : 'yet'}`
  print(ds === null ? none : `its parent is to have: ${zone}. IN DS ${ds}`)
  print(
    parent === null
      ? 'its parent was not asked'
      : `its parent had at ${parent.checked}: ${parent.ds.join(', ') || 'none'}`,
  )
}
