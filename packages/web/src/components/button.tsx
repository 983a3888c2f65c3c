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
    /** At work: shown, and not to be pressed again. */
    isBusy?: boolean
    children: ReactNode
  }

export function Button({ kind, size, icon, isBusy = false, children, type = 'button', onClick, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      // Not disabled while it is at work, which would take the focus away.
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

/** Looks like a button and leads to a page. */
export function LinkButton({ kind, size, icon, children, to }: Look & { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={look({ ...(kind && { kind }), ...(size && { size }) })}>
      <Icon of={icon} />
      {children}
    </Link>
  )
}

/** A picture alone needs a name, which is also shown when pointed at. */
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

/** A picture that leads to a file: opened in a tab of its own, or with `isDownload` saved. */
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

/** The class names of a button, for what must be another element. */
export function look({ kind = 'plain', size = 'normal' }: Look): string {
  return [styles.button, styles[kind], styles[size]].filter(Boolean).join(' ')
}
