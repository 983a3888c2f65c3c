import { Link, useLocation } from 'wouter'
import { formatCount } from '../format.ts'
import styles from './tabs.module.css'
import { useScrollToCurrent } from './use-scroll-to-current.ts'

export interface Tab {
  label: string
  to: string
  /** Text where the exact number is unknown. */
  count?: number | string | undefined
  /** True: matches this address only, not addresses below it. */
  isExact?: boolean
}

/** Tabs that are links, because each one has its own address. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const [path] = useLocation()
  const nav = useScrollToCurrent<HTMLElement>([path, ...tabs.map(({ to, count }) => `${to} ${count}`)].join('\n'))
  const isHere = ({ to, isExact }: Tab) => path === to || (!isExact && path.startsWith(`${to}/`))
  return (
    <nav ref={nav} aria-label={label} className={styles.nav}>
      <ul className={styles.tabs}>
        {tabs.map((tab) => (
          <li key={tab.to}>
            <Link to={tab.to} className={styles.tab} aria-current={isHere(tab) ? 'page' : undefined}>
              {tab.label}
              {tab.count !== undefined && (
                <span className={styles.count}>
                  {typeof tab.count === 'number' ? formatCount(tab.count) : tab.count}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
