/** Commands that lead programs to this API, and those that do nothing elsewhere. Loaded when they are shown. */
import { apiForPrograms, exportedEndpoints, pointed } from '../lib/endpoint.ts'
import { CommandLine } from './copy.tsx'

export function Endpoints() {
  return <CommandLine text={exportedEndpoints(apiForPrograms(window.location))} />
}

/** A command that is shown for itself. */
export function PointedCommand({ text }: { readonly text: string }) {
  return <CommandLine text={pointed(text, apiForPrograms(window.location))} />
}
