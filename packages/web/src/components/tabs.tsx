import { Link, useLocation } from 'wouter'
import { formatCount } from './format.ts'
import styles from './tabs.module.css'
import { useCurrentInSight } from './use-current-in-sight.ts'

export interface Tab {
  label: string
  to: string
  /** In words where it is no exact number. */
  count?: number | string | undefined
  /** True: this address only, not those below it. */
  isExact?: boolean
}

/** Parts of one thing, each with an address of its own: so these are links. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const [path] = useLocation()
  const nav = useCurrentInSight<HTMLElement>([path, ...tabs.map(({ to, count }) => `${to} ${count}`)].join('\n'))
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
