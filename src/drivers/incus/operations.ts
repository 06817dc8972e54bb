/** Work that still runs in Incus from calls that were cut off. */
import { type Incus, IncusError, type Operation } from './client.ts'

type Running = Readonly<Record<string, readonly Operation[] | null>>

/**
 * Waits for the end of everything that runs for an instance, whoever began it and however it ends: what it has done is read
 * afterwards. Consoles and other connections, which end when somebody leaves, are not waited for. Errors: `DriverError`.
 */
export async function settleOperations(incus: Incus, instance: string): Promise<void> {
  const all = (await incus.get<Running>('/1.0/operations?recursion=1'))?.value ?? {}
  const mine = Object.values(all)
    .flatMap((operations) => operations ?? [])
    .filter((operation) => operation.class === 'task' && operation.status_code < 200 && isFor(operation, instance))
  for (const { id } of mine) {
    try {
      await incus.wait(id, `what still runs for ${instance}`)
    } catch (error) {
      if (!(error instanceof IncusError)) throw error
    }
  }
}

function isFor({ resources }: Operation, instance: string): boolean {
  const paths = Object.values(resources ?? {}).flat()
  return paths.some((path) =>
    path
      .replace(/[?].*$/, '')
      .split('/')
      .includes(instance),
  )
}
