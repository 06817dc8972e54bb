/**
 * A link to another page of the console. Of many links few are followed, so a link watches nothing and is made of its
 * address alone; the page behind it is loaded when somebody is about to follow it.
 */
import { type LinkProps, useRouter } from '@tanstack/react-router'
import type { ComponentProps, MouseEvent } from 'react'

/** The target of a link: a route, what fills its parameters, and what the address says besides. */
export interface Target {
  readonly to: Route
  readonly params?: Readonly<Record<string, string | undefined>> | undefined
  readonly search?: object | undefined
}

export type Route = NonNullable<LinkProps['to']>

interface Props extends Target, Omit<ComponentProps<'a'>, 'href'> {}

const restMs = 50

export function Link({ to, params = {}, search, onClick, ...rest }: Props) {
  const router = useRouter()
  const path = pathOf(to, params)
  const target = { to: path, ...(search ? { search } : {}) } as never
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
      href={`/console${path}${search ? router.options.stringifySearch({ ...search }) : ''}`}
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

/** A path of a route with its parameters; optional ones that are not given are left out. */
function pathOf(route: string, params: Readonly<Record<string, string | undefined>>): string {
  return route
    .replace(/\/\{-\$(\w+)\}/g, (_, name: string) => (params[name] ? `/$${name}` : ''))
    .replace(/\$(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}
