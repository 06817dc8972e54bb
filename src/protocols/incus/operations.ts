/** Work that still runs in Incus from calls that were cut off. */
import { type Incus, IncusError, type Operation } from './client.ts'

/** The words of Incus for commands in guests. */
const command = 'Executing command'

type Running = Readonly<Record<string, readonly Operation[] | null>>

/**
 * Waits for the end of everything that runs for an instance or something else, whoever began it and however it ends: what it has
 * done is read afterwards. Of what is a connection, those of instances are not waited for: consoles end when somebody
 * leaves. Nor are commands in guests, which end when the guest likes: it could never be switched off or removed again.
 * Errors: `DriverError`.
 */
export async function settleOperations(
  incus: Incus,
  name: string,
  classes: readonly Operation['class'][] = ['task'],
): Promise<void> {
  const all = (await incus.get<Running>('/1.0/operations?recursion=1'))?.value ?? {}
  const mine = Object.values(all)
    .flatMap((operations) => operations ?? [])
    .filter((operation) => classes.includes(operation.class) && operation.description !== command)
    .filter((operation) => operation.status_code < 200 && isFor(operation, name))
  for (const { id } of mine) {
    try {
      await incus.wait(id, `what still runs for ${name}`)
    } catch (error) {
      if (!(error instanceof IncusError)) throw error
    }
  }
}

function isFor({ resources }: Operation, name: string): boolean {
  const paths = Object.values(resources ?? {}).flat()
  return paths.some((path) =>
    path
      .replace(/[?].*$/, '')
      .split('/')
      .includes(name),
  )
}
