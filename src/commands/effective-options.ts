/** The options of `wolke serve` as they are in effect, for showing them to operators. No secret is among them. */
import type { Command, Option } from 'commander'
import { isSecret, withoutPassword } from '../config/names.ts'
import type { EffectiveOption } from '../management/installation/routes.ts'

/** Keeps the texts that options are given, by the name of the option: what is parsed cannot be shown any more. */
export function keepTexts(options: readonly Option[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const option of options) {
    const parse = option.parseArg
    if (option.isBoolean()) continue
    option.parseArg = (text, previous) => {
      texts.set(option.attributeName(), text)
      return parse ? parse(text, previous) : (text as never)
    }
  }
  return texts
}

/** All options of a command that was run, with where they come from. `hasClientSecret` is about the one without a flag. */
export function effectiveOptions(
  command: Command,
  texts: ReadonlyMap<string, string>,
  hasClientSecret: boolean,
): EffectiveOption[] {
  const shown = command.options.map((option): EffectiveOption => {
    const name = option.attributeName()
    const flag = option.long!
    const secret = isSecret(option)
    const source = sources[command.getOptionValueSource(name) ?? 'default'] ?? 'default'
    const value = source === 'default' ? defaultOf(option) : (texts.get(name) ?? 'on')
    return {
      flag,
      environment: option.envVar ?? null,
      description: option.description,
      value: secret || value === null ? null : withoutPassword(value),
      source,
      secret,
    }
  })
  const clientSecret: EffectiveOption = {
    flag: '',
    environment: 'WOLKE_OIDC_CLIENT_SECRET',
    description: 'the secret of the client at the identity provider',
    value: null,
    source: hasClientSecret ? 'environment' : 'default',
    secret: true,
  }
  return [...shown, clientSecret]
}

const sources: Readonly<Record<string, EffectiveOption['source']>> = {
  cli: 'flag',
  env: 'environment',
  file: 'file',
}

function defaultOf({ defaultValue, defaultValueDescription }: Option): string | null {
  if (defaultValue === undefined) return null
  return defaultValueDescription ?? String(defaultValue)
}
