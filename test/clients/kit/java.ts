/** Tests in Java, with JUnit 5 as the distribution packages it. */
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, type Outcome, run } from './clients.ts'

const helper = join(import.meta.dirname, '../../../clients/java')
const libraries = ['junit-platform-console-standalone', 'picocli', 'opentest4j', 'apiguardian-api', 'univocity-parsers']
const jars = libraries.map((name) => `/usr/share/java/${name}.jar`)

export interface Java {
  /** Compiles a test and the helper into a folder. */
  compile(file: string, into: string): Promise<Outcome>
  /** The words that run the tests of a class from there. */
  command(name: string, folder: string): string[]
}

/** Undefined where Java or JUnit is missing. */
export function findJava(): Java | undefined {
  const [javac, java] = ['javac', 'java'].map(findProgram)
  if (!javac || !java || !jars.every((jar) => existsSync(jar))) return undefined
  const sources = globSync('**/*.java', { cwd: helper }).map((path) => join(helper, path))
  return {
    compile: (file, into) => run(javac, ['-Werror', '-Xlint:all', '-d', into, '-cp', jars.join(':'), ...sources, file]),
    command(name, folder) {
      const launcher = ['org.junit.platform.console.ConsoleLauncher', '--disable-banner', '--disable-ansi-colors']
      return [java, '-cp', [folder, ...jars].join(':'), ...launcher, '--select-class', name]
    },
  }
}
