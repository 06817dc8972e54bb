/** A Project as installation admins see it. */
import type { ItemOf } from '../../api/api.ts'

export type InstalledProject = ItemOf<'management_listInstalledProjects'>
