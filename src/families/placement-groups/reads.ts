/** What other families may ask about placement groups. */
export { membersAmong } from './store.ts'
export { type GroupOfServer, placementGroupsOfServers } from './view.ts'
