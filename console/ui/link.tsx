/**
 * A link to another page of the console. Of many links few are followed, so a link watches nothing and is made of its
 * address alone; the page behind it is loaded when somebody is about to follow it.
 */
import { type LinkProps, useRouter } from '@tanstack/react-router'
import { type ComponentProps, type MouseEvent, useCallback } from 'react'

/** The target of a link: a route, what fills its parameters, and what the address says besides. */
export interface Target {
  readonly to: Route
  /** The Project is the open one, unless another is named. */
  readonly params?: Readonly<Record<string, string | number | undefined>> | undefined
  readonly search?: object | undefined
}

export type Route = NonNullable<LinkProps['to']>

interface Props extends Target, Omit<ComponentProps<'a'>, 'href'> {}

const restMs = 50

export function Link({ to, params, search, onClick, ...rest }: Props) {
  const router = useRouter()
  const target = placeOf(router, { to, params, search })
  let resting: ReturnType<typeof setTimeout> | undefined
  const preload = () => void router.preloadRoute(target).catch(() => undefined)
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    const isPlain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    if (event.button !== 0 || !isPlain || event.defaultPrevented) return
    event.preventDefault()
    void router.navigate(target)
  }
  return (
    <a
      {...rest}
      href={`/console${target.to}${search ? router.options.stringifySearch({ ...search }) : ''}`}
      onClick={follow}
      onFocus={preload}
      onTouchStart={preload}
      onPointerEnter={() => {
        resting = setTimeout(preload, restMs)
      }}
      onPointerLeave={() => clearTimeout(resting)}
    />
  )
}

/** Returns what goes to another page of the console. */
export function useGo(): (target: Target) => Promise<void> {
  const router = useRouter()
  return useCallback((target) => router.navigate(placeOf(router, target)), [router])
}

/** The path of a target with its parameters; optional ones that are not given are left out. */
function placeOf({ state }: ReturnType<typeof useRouter>, { to, params, search }: Target) {
  const open = state.matches.at(-1)?.params as { readonly project?: string } | undefined
  const values: Target['params'] = { project: open?.project, ...params }
  const path = to
    .replace(/\/\{-\$(\w+)\}/g, (_, name: string) => (values[name] ? `/$${name}` : ''))
    .replace(/\$(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  return { to: path, search } as { readonly to: '.' }
}
