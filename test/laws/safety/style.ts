/** What can be checked of style. */
import { lineAt } from '../source.ts'
import { checkMatches, inFolder, nameOf, nowhere, type Rule } from './rules.ts'

const forms: Rule = {
  promise: 'no default exports, no barrels, no enums, no namespaces, no decorators',
  check: (sources) => [
    ...checkMatches(/^export (default\b|\* )|^(export )?(const )?(enum|namespace) \w+|^\s*@\w+.*$/gm, nowhere)(sources),
    ...sources.flatMap(({ path }) =>
      nameOf(path) === 'index.ts' && path !== 'migrations/index.ts' ? [`${path} is a barrel`] : [],
    ),
  ],
  planted: [
    { 'a.ts': 'export default 1' },
    { 'a.ts': "export * from './b.ts'" },
    { 'a.ts': 'export const enum A { B }' },
    { 'a.ts': 'namespace A {}' },
    { 'a.ts': 'class A {\n  @field b = 1\n}' },
    { 'families/index.ts': "export { a } from './a.ts'" },
  ],
}

const environment: Rule = {
  promise: 'only config/config.ts knows the environment; nothing ends the process but one place that says why',
  check: (sources) => {
    const exits = checkMatches(/\bprocess\s*\.\s*exit\b/g, ({ text }, { index }) => {
      const before = text.slice(0, index).split('\n').slice(-2, -1)[0] ?? ''
      return /^\s*\/\//.test(before)
    })(sources)
    const all = checkMatches(/\bprocess\s*\.\s*exit\b/g, nowhere)(sources)
    return [
      ...checkMatches(/\bprocess\s*\.\s*env\b/g, ({ path }) => path === 'config/config.ts')(sources),
      ...exits,
      ...all.slice(1),
    ]
  },
  planted: [
    { 'app.ts': 'const { HOME } = process.env' },
    { 'commands/a.ts': 'process.exit(1)' },
    { 'commands/a.ts': '// Why.\nprocess.exit(1)\n// Why.\nprocess.exit(2)' },
  ],
}

const addresses: Rule = {
  promise: 'one place says at which address the caller of a request is; peers are only those of whole connections',
  check: checkMatches(/\bremoteAddress\b/g, ({ path }) =>
    /^(kernel\/http\/server\/(caller|connections|edge)|kernel\/process\/network|dns\/tcp-server|metadata\/\w+|drivers\/.*|library\/connection|host\/joining\/offer)\.ts$/.test(
      path,
    ),
  ),
  planted: [{ 'kernel/http/streams/web-sockets.ts': 'const from = socket.remoteAddress' }],
}

const maxLines = 400

const sizes: Rule = {
  promise: `no module is longer than ${maxLines} lines`,
  check: (sources) =>
    sources
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > maxLines)
      .map(({ path, lines }) => `${path} has ${lines} lines`),
  planted: [{ 'a.ts': 'const a = 1\n'.repeat(maxLines + 1) }],
}

const debts: Rule = {
  promise: 'what is still to do says of what kind it is',
  check: (sources) =>
    sources.flatMap((source) =>
      [...source.text.matchAll(/\b(TODO|FIXME|XXX|HACK)\b(?!\((security|robustness|correctness|scale)\): \S)/g)].map(
        (match) => `${source.path}:${lineAt(source, match.index)} ${match[0]}`,
      ),
    ),
  planted: [{ 'a.ts': '// TODO: later' }, { 'a.ts': '// FIXME' }],
}

const openings: Rule = {
  promise: 'a module of more than 15 lines opens with what it promises',
  check: (sources) =>
    sources
      .filter(({ text }) => text.trimEnd().split('\n').length > 15 && !/^(#!.*\n)?\/\*\*/.test(text))
      .map(({ path }) => path),
  planted: [{ 'a.ts': 'const a = 1\n'.repeat(16) }],
}

/** Lines that a function may have and still say by its name and types all that there is to say. */
const plainLines = 12

const docs: Rule = {
  promise: `an exported function of more than ${plainLines} lines in the kernel or a family says what it does`,
  check: (sources) =>
    sources
      .filter(({ path }) => inFolder(path, 'kernel') || inFolder(path, 'families'))
      .flatMap((source) =>
        [...source.text.matchAll(/(\*\/\n)?^export (?:async )?function\*? (\w+)[\s\S]*?^\}/gm)]
          .filter(([text, doc]) => doc === undefined && text.split('\n').length > plainLines)
          .map(({ index, 2: name }) => `${source.path}:${lineAt(source, index)} ${name}`),
      ),
  planted: [{ 'kernel/a.ts': `export function a() {\n${'  b()\n'.repeat(plainLines)}}` }],
}

export const styleRules: readonly Rule[] = [forms, environment, addresses, sizes, debts, openings, docs]
