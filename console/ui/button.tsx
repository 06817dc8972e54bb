/** Buttons. A button that may not be used stays in its place and says why. */
import { type ComponentProps, type ReactNode, useId } from 'react'
import styles from './button.module.css'
import { cx } from './cx.ts'
import { Icon, type IconName } from './icon.tsx'
import { Link, type Target } from './link.tsx'
import { Waiting } from './state.tsx'
import { tip } from './tip.ts'

interface Look {
  readonly look?: 'primary' | 'danger' | 'quiet' | undefined
  readonly small?: boolean | undefined
  readonly wide?: boolean | undefined
  readonly icon?: IconName | undefined
  readonly className?: string | undefined
}

interface ButtonProps extends Look, Omit<ComponentProps<'button'>, 'className' | 'disabled'> {
  readonly children?: ReactNode
  /** The reason why it cannot be used now. It stays in the order of focus, so that the reason can be read. */
  readonly reason?: string | undefined
  readonly isBusy?: boolean | undefined
  /** The keys that do the same, shown on hover. */
  readonly keys?: string | undefined
}

function classOf({ look, small, wide, className }: Look, only = false): string {
  return cx(
    styles.btn,
    look && styles[look],
    small && styles.small,
    wide && styles.wide,
    only && styles.only,
    className,
  )
}

export function Button(props: ButtonProps) {
  const { look, small, wide, icon, className, reason, isBusy = false, keys, children, onClick, type, ...rest } = props
  const id = useId()
  const isOff = reason !== undefined || isBusy
  return (
    <>
      <button
        {...rest}
        {...tip(reason ?? '', reason ? undefined : keys)}
        type={type ?? 'button'}
        className={classOf({ look, small, wide, className })}
        aria-disabled={reason !== undefined || undefined}
        aria-busy={isBusy || undefined}
        aria-describedby={reason ? id : rest['aria-describedby']}
        onClick={isOff ? (event) => event.preventDefault() : onClick}
      >
        {isBusy ? <Waiting /> : icon && <Icon name={icon} />}
        {children}
      </button>
      {reason && (
        <span className="vh" id={id}>
          {reason}
        </span>
      )}
    </>
  )
}

interface IconButtonProps extends Look, Omit<ComponentProps<'button'>, 'className' | 'aria-label' | 'disabled'> {
  readonly icon: IconName
  /** The name of what it does; shown on hover as well. */
  readonly label: string
  readonly keys?: string | undefined
}

/** A button of which only the icon is seen. */
export function IconButton({ icon, label, keys, look = 'quiet', small, className, ...rest }: IconButtonProps) {
  return (
    <button
      {...rest}
      {...tip(label, keys)}
      type="button"
      aria-label={label}
      className={classOf({ look, small, className }, true)}
    >
      <Icon name={icon} />
    </button>
  )
}

type ButtonLinkProps = Look &
  Omit<Target, 'children'> & {
    readonly children: ReactNode
    readonly reason?: string | undefined
    readonly keys?: string | undefined
  }

/** A link that looks like a button: it goes to another page. */
export function ButtonLink(props: ButtonLinkProps) {
  const { look, small, wide, icon, className, reason, keys, children, ...link } = props
  if (reason !== undefined) return <Button {...{ look, small, wide, icon, className, reason, children }} />
  return (
    <Link {...(link as Target)} {...tip('', keys)} className={classOf({ look, small, wide, className })}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  )
}

interface AnchorProps extends Look, Omit<ComponentProps<'a'>, 'className'> {}

/** The same for what is not a page of the console, such as the reference. */
export function ButtonAnchor({ look, small, wide, icon, className, children, ...rest }: AnchorProps) {
  return (
    <a {...rest} className={classOf({ look, small, wide, className })}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  )
}
