/** What glossaries need from the infrastructure. */

export interface GlossaryDriver {
  /** Makes a glossary be there for readers, or no longer. Repeating it changes nothing. */
  show(id: number, isShown: boolean): Promise<void>
}

declare module '../../kernel/actions/define.ts' {
  interface Drivers {
    glossaries: GlossaryDriver
  }
}
