import type { ReactNode } from 'react'
import styles from './table.module.css'

/**
 * Table that scrolls horizontally inside itself when it is too wide. `label` names it for screen readers; a
 * column of buttons has the header ''.
 */
export function Table({ label, head, children }: { label: string; head: readonly ReactNode[]; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.frame} aria-label={label} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            {head.map((cell, index) =>
              cell === '' ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change their places
                <td key={index} />
              ) : (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change their places
                <th key={index} scope="col">
                  {cell}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}
