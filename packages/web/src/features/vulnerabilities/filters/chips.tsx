import { X } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { type Chip, type FilterChanges, nothing } from '../../../nouns/vulnerability/filter-state.ts'
import { texts } from '../texts.ts'
import styles from './chips.module.css'

/** Active filters, each with a button to remove it. */
export function Chips({ chips, onChange }: { chips: readonly Chip[]; onChange: (changes: FilterChanges) => void }) {
  if (chips.length === 0) return null
  return (
    <ul className={styles.chips} aria-label={texts.activeFilters}>
      {chips.map(({ label, without }) => (
        <li key={label}>
          <button
            type="button"
            className={styles.chip}
            data-focus-safe=""
            aria-label={texts.removeFilter(label)}
            onClick={() => onChange(without)}
          >
            <span className={styles.label}>{label}</span>
            <X size={14} aria-hidden="true" />
          </button>
        </li>
      ))}
      <li>
        <Button kind="quiet" size="small" onClick={() => onChange(nothing)}>
          {texts.clear}
        </Button>
      </li>
    </ul>
  )
}
