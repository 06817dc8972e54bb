/** Measures how long it takes to come in: by SSH beside OpenSSH with the same client, and by WebDAV while others guess. */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import ssh2 from 'ssh2'
import { median, type Row } from './report.ts'
import { type Effort, inTurns } from './rounds.ts'
import { accounts, password, type Site, type Sites } from './storage-sites.ts'

/** A login beside those who guess takes so many times as long at the most. */
const promisedTimes = 2

export async function logins({ wolke, bare }: Sites, effort: Effort): Promise<Row[]> {
  return [...(await sshLogins(wolke, bare, effort)), await loginRow(wolke, effort)]
}

type Proof = { readonly password: string } | { readonly privateKey: Buffer }

/** Comes in and leaves; returns how long it took to be in, in milliseconds. */
async function enter({ port }: Site, username: string, proof: Proof): Promise<number> {
  const started = performance.now()
  const client = new ssh2.Client()
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('ready', resolve).once('error', reject)
      client.connect({ host: '127.0.0.1', port, username, ...proof })
    })
    return performance.now() - started
  } finally {
    client.end()
  }
}

/** By key beside OpenSSH, and by a password, which costs a hash the first time and none later. */
async function sshLogins(wolke: Site, bare: Site, { rounds }: Effort): Promise<Row[]> {
  const byKey = (site: Site) => {
    const privateKey = readFileSync(site.key)
    return () => enter(site, site.user, { privateKey })
  }
  // Others have not come in by a password yet.
  const fresh = accounts.slice(-2 * rounds - 1)
  const known = fresh[0]!
  await enter(wolke, known, { password })
  const keys = await inTurns(2 * rounds + 1, { wolke: byKey(wolke), bare: byKey(bare) })
  const passwords = await inTurns(2 * rounds, {
    wolke: () => enter(wolke, fresh.pop()!, { password }),
    bare: () => enter(wolke, known, { password }),
  })
  return [
    { name: 'storage, login by SSH with a key', unit: 'ms', ...keys },
    {
      name: 'storage, login by SSH with a password',
      unit: 'ms',
      ...passwords,
      note: 'bare: one that was right before',
    },
  ]
}

/** Logs in by WebDAV with a password that is not known yet, from an address; returns whether it was right. */
function login(port: number, localAddress: string, username: string, word: string, agent?: Agent): Promise<boolean> {
  const auth = `${username}:${word}`
  return new Promise((resolve, reject) => {
    const asked = request({
      host: '127.0.0.1',
      port,
      localAddress,
      method: 'OPTIONS',
      auth,
      ...(agent ? { agent } : {}),
    })
    asked.once('error', reject).once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200))
    })
    asked.end()
  })
}

const guessesASecond = 100

async function loginRow(wolke: Sites['wolke'], { rounds }: Effort): Promise<Row> {
  // A password that was right once costs less, so each account comes in once.
  const fresh = accounts.slice(4, 4 + 20 * rounds)
  const logins = async () => {
    const times: number[] = []
    for (const username of fresh.splice(0, 10 * rounds)) {
      const started = performance.now()
      if (!(await login(wolke.webdavPort, '127.0.0.1', username, password))) throw new Error('a login was refused')
      times.push(performance.now() - started)
    }
    return median(times)
  }
  const quiet = await logins()
  const flood = guess(wolke.webdavPort)
  await delay(2_000)
  const [before, started] = [flood.answered(), performance.now()]
  const beside = await logins()
  const rate = (flood.answered() - before) / ((performance.now() - started) / 1_000)
  flood.end()
  const ratio = beside / quiet
  const isMet = ratio <= promisedTimes && rate >= guessesASecond * 0.9
  return {
    name: 'storage, login while others guess',
    unit: 'ms',
    ...{ wolke: beside, bare: quiet, ratio, bar: { text: `<= ${promisedTimes}`, met: isMet } },
    note: `bare: nobody guesses; ${rate.toFixed(0)} wrong passwords a second are answered`,
  }
}

/** Has others send a hundred wrong passwords a second, whatever is answered. */
function guess(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })
  let answered = 0
  let sent = 0
  const started = performance.now()
  const send = () => {
    const user = accounts[++sent % accounts.length]!
    login(port, '127.0.1.1', user, `wrong ${sent}`, agent).then(
      () => answered++,
      () => undefined,
    )
  }
  // Turns that come late send what was due meanwhile.
  const timer = setInterval(() => {
    while (sent < ((performance.now() - started) * guessesASecond) / 1_000) send()
  }, 1_000 / guessesASecond)
  return {
    answered: () => answered,
    end() {
      clearInterval(timer)
      agent.destroy()
    },
  }
}
