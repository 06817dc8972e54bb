/** What others may ask about networks. */
export { interfacesOf, type OwnInterface } from './members/interfaces.ts'
