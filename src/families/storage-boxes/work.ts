/** Storage Boxes are made, changed and deleted on request. */
import type { StorageBoxType } from '../../catalogue/catalogue.ts'
import { storageBoxTypeIsListed } from '../../catalogue/catalogue.ts'
import { actionToWire } from '../../kernel/actions/routes.ts'
import { recordOf, refuseLocked, startAction } from '../../kernel/actions/store.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import { byIdOrName, type Calls } from '../../kernel/contract/contract.ts'
import type { Queries } from '../../kernel/data/db.ts'
import { ApiError, invalidInput, type Problem } from '../../kernel/errors.ts'
import { act, adding } from '../../kernel/resource/work.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { HashingLine } from '../../kernel/secrets/hashing.ts'
import { hashPassword } from '../../kernel/secrets/password-hash.ts'
import type { Platform } from '../../platform.ts'
import { readPublicKey } from '../ssh-keys/reads.ts'
import {
  changeProtection,
  changeType,
  createBox,
  onBox,
  refuseBusy,
  removeBox,
  resetPassword,
  updateAccess,
} from './actions.ts'
import { storageBoxChanges } from './changes.ts'
import type { storageBoxEndpoints } from './contract.ts'
import { states } from './desired.ts'
import {
  accessColumns,
  accessText,
  boxFlags,
  noAccess,
  passwordProblem,
  type StorageBox,
  withAccess,
} from './domain.ts'
import { snapshotsOf } from './snapshots/store.ts'
import { boxes, insertBox, setPassword } from './store.ts'
import { subaccountsOf } from './subaccounts/store.ts'
import { boxToWire } from './view.ts'

type Call = Calls<typeof storageBoxEndpoints>

/** The platform of a cloud, with the line in which those wait that hash passwords. */
export interface Shop extends Platform {
  readonly hashing: HashingLine
}

/** Hashes a password, when its Project has its turn. Errors: `unavailable`. */
export function hashed({ hashing }: Shop, { projectId }: ProjectScope, password: string): Promise<string> {
  return hashing.run(String(projectId), () => hashPassword(password))
}

/** The fault of a password at the date of the clock, if it has one. */
export function passwordFault({ clock }: Shop, password: string): Problem[] {
  const isStrict = inEffect(storageBoxChanges.storage_box_passwords, clock.now())
  const message = passwordProblem(password, isStrict)
  return message === undefined ? [] : [{ field: 'password', message }]
}

/** Makes a box. Errors: those that the contract declares. */
export async function create(shop: Shop, { scope, body }: Call['create']) {
  const { name, password, ssh_keys: sshKeys = [], access_settings, labels = {} } = body
  const type = findType(shop, body.storage_box_type)
  const location = byIdOrName(body.location, shop.catalogue.locationById, shop.catalogue.locationByName)
  const problems = [
    ...('message' in type ? [type] : []),
    ...(location ? [] : [{ field: 'location', message: 'location not found' }]),
    ...passwordFault(shop, password),
    ...sshKeys.flatMap(keyFault),
  ]
  if (problems.length > 0 || 'message' in type || !location) throw invalidInput(problems)
  if (!type.prices.some((price) => price.location === location.name)) throw notOffered(type, location.name)
  const access = withAccess(noAccess(boxFlags), access_settings)
  const passwordHash = await hashed(shop, scope, password)
  const places = { typeId: type.id, capacity: type.size, locationId: location.id }
  return adding(shop, boxes, scope, async (tx) => {
    const box = await insertBox(tx, scope, { name, ...places, access, passwordHash, sshKeys, labels })
    await states.renew(tx, scope, [box.id])
    const action = await startAction(tx, scope, onBox(createBox, { box: box.id }))
    return { added: box, reply: { storage_box: boxToWire(shop, box), action: actionToWire(action) } }
  })
}

/** The type that a request names, or why it cannot be had; a box keeps its present one for as long as it likes. */
function findType(
  { catalogue, clock }: Shop,
  named: number | string,
  presentId?: StorageBoxType['id'],
): StorageBoxType | Problem {
  const type = byIdOrName(named, catalogue.storageBoxTypeById, catalogue.storageBoxTypeByName)
  if (type && (type.id === presentId || storageBoxTypeIsListed(type, clock.now()))) return type
  const message = type ? 'the type is no longer offered' : 'Storage Box type not found'
  return { field: 'storage_box_type', message }
}

function notOffered({ name }: StorageBoxType, location: string) {
  return invalidInput([{ field: 'location', message: `${location} does not offer ${name}` }])
}

function keyFault(key: string, index: number): Problem[] {
  const read = readPublicKey(key)
  return read.ok ? [] : [{ field: `ssh_keys[${index}]`, message: read.message }]
}

/** Deletes a box with all that is in it. Errors: `protected`, `locked`. */
export const remove = (shop: Shop, call: Call['remove']) =>
  act(shop, boxes, call, async (tx, { id, isProtected }) => {
    if (isProtected) throw new ApiError('protected', 'Storage Box deletion is protected')
    await refuseBusy(tx.query, call.scope, id)
    await boxes.set(tx, call.scope, id, { is_leaving: 1 })
    await states.renew(tx, call.scope, [id])
    return onBox(removeBox, { box: id })
  })

/** Protects a box from deletion, or no longer. Errors: `locked`. */
export const protect = (shop: Shop, call: Call['changeProtection']) =>
  act(shop, boxes, call, async (tx, box) => {
    await refuseLocked(tx.query, call.scope, boxes.ref(box.id))
    const protect_delete = (call.body.delete ?? box.isProtected) ? 1 : 0
    await boxes.set(tx, call.scope, box.id, { protect_delete })
    return recordOf(changeProtection, boxes.ref(box.id))
  })

/** Gives a box another type. Errors: `invalid_input` for one that it does not fit in, `locked`. */
export const retype = (shop: Shop, call: Call['changeType']) =>
  act(shop, boxes, call, async (tx, box) => {
    const type = findType(shop, call.body.storage_box_type, box.typeId)
    if ('message' in type) throw invalidInput([type])
    const message = await retypeProblem(shop, tx.query, call.scope, box, type)
    if (message !== undefined) throw invalidInput([{ field: 'storage_box_type', message }])
    await boxes.set(tx, call.scope, box.id, { storage_box_type: type.id, capacity: type.size })
    await states.renew(tx, call.scope, [box.id])
    return onBox(changeType, { box: box.id, from: box.typeId, capacity: box.capacity })
  })

/** Finds why a box cannot have a type; undefined when it can. */
async function retypeProblem(
  { catalogue }: Shop,
  query: Queries,
  scope: ProjectScope,
  box: StorageBox,
  type: StorageBoxType,
): Promise<string | undefined> {
  if (type.id === box.typeId) return undefined
  const location = catalogue.locationById(box.locationId)?.name ?? ''
  if (!type.prices.some((price) => price.location === location)) return `${location} does not offer ${type.name}`
  if (type.size < box.usedByFiles + box.usedBySnapshots) {
    return 'the Storage Box has more in it than this type has room for'
  }
  if ((await subaccountsOf(query, scope, box.id)).length > type.subaccounts_limit) {
    return 'the Storage Box has more subaccounts than this type allows'
  }
  const all = await snapshotsOf(query, scope, box.id)
  const automatic = all.filter(({ isAutomatic }) => isAutomatic).length
  if (isAbove(all.length - automatic, type.snapshot_limit)) {
    return 'the Storage Box has more snapshots than this type allows'
  }
  if (isAbove(Math.max(automatic, box.plan?.maxSnapshots ?? 0), type.automatic_snapshot_limit)) {
    return 'the Storage Box has more automatic snapshots, or a plan that keeps more, than this type allows'
  }
  return undefined
}

const isAbove = (count: number, most: number | null) => most !== null && count > most

/** Sets the password of a box. Errors: `invalid_input`, `locked`. */
export async function changePassword(shop: Shop, call: Call['resetPassword']) {
  const { scope, params, body } = call
  // A box that is not there is missing whatever the password is.
  await boxes.get(shop.db.query, scope, params.id)
  const problems = passwordFault(shop, body.password)
  if (problems.length > 0) throw invalidInput(problems)
  const hash = await hashed(shop, scope, body.password)
  return act(shop, boxes, call, async (tx, box) => {
    await setPassword(tx, scope, box, hash)
    await states.renew(tx, scope, [box.id])
    return onBox(resetPassword, { box: box.id })
  })
}

/** Changes how a box can be reached. Errors: `locked`. */
export const changeAccess = (shop: Shop, call: Call['updateAccessSettings']) =>
  act(shop, boxes, call, async (tx, { id, access }) => {
    await boxes.set(tx, call.scope, id, accessColumns(withAccess(access, call.body)))
    await states.renew(tx, call.scope, [id])
    return onBox(updateAccess, { box: id, subaccount: null, from: accessText(access) })
  })
