/** What other families may ask about placement groups. */
export { membersAmong } from './store.ts'
export { placementGroupsOfServers } from './view.ts'
