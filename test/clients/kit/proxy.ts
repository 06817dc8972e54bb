/** `wolke proxy` in front of a server, as a process of its own, with the settings that it prints. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { bundle } from '../../program/kit/program.ts'
import type { Service } from './clients.ts'

export interface RunningProxy {
  /** Every variable that it prints, by its name. */
  readonly settings: Readonly<Record<string, string>>
  /** What it has refused since the last time, as host and port. */
  take(): string[]
  stop(): Promise<void>
}

/** Starts the proxy on a free port; it keeps its authority in the folder of the server. */
export async function startProxy({ env, folder }: Service): Promise<RunningProxy> {
  const { origin } = new URL(env.HCLOUD_ENDPOINT!)
  const args = ['proxy', '--port=0', `--to=${origin}`, `--ca-folder=${join(folder, 'proxy')}`]
  const child = spawn(process.execPath, [bundle, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const endAtLast = () => child.kill('SIGKILL')
  process.once('exit', endAtLast)
  const closed = once(child, 'close')
  let [said, told] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text
  })
  while (!said.endsWith("changeit'\n")) {
    const [code] = (await Promise.race([once(child.stdout, 'data').then(() => []), closed])) as [number?]
    if (code !== undefined) throw new Error(`the proxy ended with code ${code}: ${told}`)
  }
  const exported = said.split('\n').filter((line) => /^ {2}export (?!JAVA)/.test(line))
  return {
    settings: Object.fromEntries(
      exported.flatMap((line) => line.trim().split(' ').slice(1)).map((one) => one.split('=')),
    ),
    take() {
      const refused = [...told.matchAll(/^refused "(.*)"$/gm)].map(([, whom]) => whom!)
      told = ''
      return refused
    },
    async stop() {
      child.kill('SIGTERM')
      await closed
      process.off('exit', endAtLast)
    },
  }
}
