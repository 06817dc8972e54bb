/**
 * Checks the types of the console. It sees the contracts of the server, which are made of types of Node.js; what is wrong
 * in the server itself is told by the check of the server, so only problems of the console count here.
 */
import { spawnSync } from 'node:child_process'

const { stdout, stderr, error } = spawnSync('tsc', ['--noEmit', '--pretty', 'false', '-p', 'console'], {
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
})
if (error) throw error
const problems = stdout.split(/\n(?=\S)/).filter((text) => text.startsWith('console/') || /^error /.test(text))
if (problems.length > 0 || stderr !== '') {
  console.error([...problems, stderr].join('\n').trimEnd())
  process.exitCode = 1
}
