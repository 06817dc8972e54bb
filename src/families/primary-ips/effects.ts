/** What other families may do to Primary IPs. */
export { giveToBalancer, renameForBalancer, takeFromBalancer } from './owners/work.ts'
