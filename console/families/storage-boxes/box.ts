/** The types that the pages of Storage Boxes share. */
import type { ItemOf } from '../../api/api.ts'
import type { ActsOptions } from '../../pages/shared/act.ts'
import { boxes as w } from './words.ts'

export type Box = ItemOf<'storage_boxes_list'>
export type BoxType = Box['storage_box_type']
export type Snapshot = ItemOf<'storage_boxes_listSnapshots'>
export type Subaccount = ItemOf<'storage_boxes_listSubaccounts'>

export const boxActs: ActsOptions<Box> = {
  family: 'storage_boxes',
  lost: w.lost,
  deleteAct: w.deleteAct,
  losesData: true,
  whyNot: ({ status }) => (status === 'initializing' ? w.notYet : undefined),
}
