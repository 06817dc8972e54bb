/**
 * The screen of a simulated machine shows what it says while it boots, a login prompt that takes the passwords of the
 * machine, and a shell with a handful of commands.
 */
import { isHashOf } from '../../../protocols/net/crypt.ts'
import type { Terminal } from '../../../protocols/rfb/server.ts'
import { TextScreen } from '../../../protocols/rfb/text-screen.ts'
import type { SimulatedServer } from '../servers.ts'

/** X11 keysyms of keys that are no letters. */
const keys = { backspace: 0xff08, enter: 0xff0d, keypadEnter: 0xff8d, leftControl: 0xffe3, rightControl: 0xffe4 }
const maxTyped = 200

type Prompt = 'login' | 'password' | 'command' | 'nothing'

export class SimulatedTerminal implements Terminal {
  readonly screen = new TextScreen()
  #machine: SimulatedServer
  #waiting: Prompt = 'nothing'
  #user = ''
  #typed = ''
  #isControl = false

  constructor(machine: SimulatedServer) {
    this.#machine = machine
    this.#boot()
  }

  get name(): string {
    return this.#machine.state.name
  }

  /** Follows a change of the machine; a restart begins with an empty screen. */
  follow(machine: SimulatedServer): void {
    const before = this.#machine
    this.#machine = machine
    if (before.restarts !== machine.restarts || before.system !== machine.system) this.#boot()
  }

  key(keysym: number, isDown: boolean): void {
    if (keysym === keys.leftControl || keysym === keys.rightControl) this.#isControl = isDown
    else if (isDown && this.#waiting !== 'nothing') this.#press(keysym)
  }

  #press(keysym: number): void {
    if (keysym === keys.enter || keysym === keys.keypadEnter) return void this.#enter()
    if (keysym === keys.backspace && this.#typed !== '') {
      this.#typed = this.#typed.slice(0, -1)
      this.#echo('\b')
    }
    if (keysym < 0x20 || keysym > 0x7e) return
    const char = String.fromCharCode(keysym)
    if (this.#isControl) return void this.#control(char.toLowerCase())
    if (this.#typed.length >= maxTyped) return
    this.#typed += char
    this.#echo(char)
  }

  /** Ctrl-C gives up what was typed, Ctrl-D leaves the shell, Ctrl-L clears the screen. */
  #control(char: string): void {
    if (char === 'l') this.screen.clear()
    else if (char === 'c') this.screen.write('^C\n')
    else if (char === 'd' && this.#waiting === 'command') this.screen.write('logout\n\n')
    else return
    this.#prompt(this.#waiting === 'command' && char !== 'd' ? 'command' : 'login')
  }

  /** Passwords are not shown. */
  #echo(text: string): void {
    if (this.#waiting !== 'password') this.screen.write(text)
  }

  #enter(): void {
    const text = this.#typed
    this.screen.write('\n')
    if (this.#waiting === 'login') this.#takeUser(text.trim())
    else if (this.#waiting === 'password') this.#takePassword(text)
    else this.#run(text.trim())
  }

  #takeUser(user: string): void {
    this.#user = user
    this.#prompt(user === '' ? 'login' : 'password')
  }

  #takePassword(password: string): void {
    const { state, system, rescuePasswordHash } = this.#machine
    const expected = system === 'rescue' ? rescuePasswordHash : state.rootPasswordHash
    const isRight = this.#user === 'root' && typeof expected === 'string' && isHashOf(password, expected)
    if (!isRight) this.screen.write('\nLogin incorrect\n')
    this.#prompt(isRight ? 'command' : 'login')
  }

  #run(line: string): void {
    if (line === 'exit') {
      this.screen.write('logout\n\n')
      return void this.#prompt('login')
    }
    if (line === 'clear') this.screen.clear()
    else if (line !== '') this.screen.write(`${this.#output(line)}\n`)
    this.#prompt('command')
  }

  #output(line: string): string {
    const { state } = this.#machine
    switch (line) {
      case 'help':
        return 'This machine is simulated. It knows: clear, exit, help, hostname, ip addr, nproc, whoami.'
      case 'hostname':
        return state.name
      case 'ip addr':
        return this.#addresses().join('\n')
      case 'nproc':
        return String(state.cores)
      case 'whoami':
        return 'root'
      default:
        return `${line.split(' ', 1)[0]}: command not found`
    }
  }

  #prompt(waiting: Prompt): void {
    this.#waiting = waiting
    this.#typed = ''
    const { name } = this.#machine.state
    if (waiting === 'login') this.screen.write(`${name} login: `)
    if (waiting === 'password') this.screen.write('Password: ')
    if (waiting === 'command') this.screen.write(`root@${name}:~# `)
  }

  /** Shows the boot: from the rescue system, the ISO in the drive or the disk, in this order. */
  #boot(): void {
    const { state, system } = this.#machine
    this.#waiting = 'nothing'
    this.screen.clear()
    this.screen.write(`Wolke simulated machine ${state.id}\n`)
    this.screen.write(`${state.cores} processors, ${state.memoryMb} MB of memory, disk of ${state.diskGb} GB\n\n`)
    if (system === 'rescue') this.#start('rescue system')
    else if (state.iso === null) this.#start(`disk: image ${state.image ?? 'unknown'}`)
    else this.screen.write(`Booting from DVD: ISO ${state.iso}\n\nThere is no operating system on simulated ISOs.\n`)
  }

  #start(from: string): void {
    this.screen.write(`Booting from ${from}\n\n`)
    this.screen.write(`[  OK  ] Network: ${this.#addresses().join(', ')}\n`)
    this.screen.write('[  OK  ] Reached login prompts\n\n')
    this.#prompt('login')
  }

  #addresses(): string[] {
    const { ipv4, ipv6 } = this.#machine.state
    const addresses = [ipv4, ipv6].filter((address) => address !== null)
    return addresses.length > 0 ? addresses : ['no public address']
  }
}
