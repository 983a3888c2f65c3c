import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { Link } from 'wouter'
import styles from './button.module.css'

interface Look {
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  size?: 'small' | 'normal'
  icon?: LucideIcon
}

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> &
  Look & {
    /** True while the action runs: shows a spinner and ignores clicks. */
    isBusy?: boolean
    children: ReactNode
  }

export function Button({ kind, size, icon, isBusy = false, children, type = 'button', onClick, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      // `disabled` would take the focus away, so a busy button only ignores clicks.
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
      className={look({ ...(kind && { kind }), ...(size && { size }) })}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
    >
      {isBusy ? <span className={styles.spinner} aria-hidden="true" /> : <Icon of={icon} />}
      {children}
    </button>
  )
}

/** Link that looks like a button. */
export function LinkButton({ kind, size, icon, children, to }: Look & { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={look({ ...(kind && { kind }), ...(size && { size }) })}>
      <Icon of={icon} />
      {children}
    </Link>
  )
}

/** Button with only an icon. `label` is its accessible name and its tooltip. */
export function IconButton({
  label,
  icon: Picture,
  ...rest
}: Omit<ComponentProps<'button'>, 'className' | 'children' | 'aria-label' | 'title'> & {
  label: string
  icon: LucideIcon
}) {
  return (
    <button type="button" {...rest} className={styles.icon} aria-label={label} title={label}>
      <Picture size={18} aria-hidden="true" />
    </button>
  )
}

/** Icon that links to a file: opens it in a new tab, or downloads it with `isDownload`. */
export function IconLink({
  label,
  icon: Picture,
  href,
  isDownload = false,
}: {
  label: string
  icon: LucideIcon
  href: string
  isDownload?: boolean
}) {
  const way = isDownload ? { download: '' } : { target: '_blank', rel: 'noreferrer' }
  return (
    <a href={href} {...way} className={styles.icon} aria-label={label} title={label}>
      <Picture size={18} aria-hidden="true" />
    </a>
  )
}

function Icon({ of: Picture }: { of: LucideIcon | undefined }) {
  return Picture ? <Picture size={16} aria-hidden="true" /> : null
}

/** Returns the class names of a button, for use on other elements. */
export function look({ kind = 'plain', size = 'normal' }: Look): string {
  return [styles.button, styles[kind], styles[size]].filter(Boolean).join(' ')
}
