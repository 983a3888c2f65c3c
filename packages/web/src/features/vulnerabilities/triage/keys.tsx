import { ArrowDown, ArrowUp } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { CheckField } from '../../../components/form/field.tsx'
import { Dialog } from '../../../components/overlay/dialog.tsx'
import styles from './keys.module.css'

const storageKey = 'alcove.keys'

/** Returns false if shortcuts work only while the list has the focus. */
export function arePageKeysEnabled(): boolean {
  return localStorage.getItem(storageKey) !== 'in lists'
}

export type KeyHelp = readonly (readonly [keys: string, meaning: string])[]

export const movingKeys: KeyHelp = [
  ['j Down', 'Next row'],
  ['k Up', 'Previous row'],
  ['Home End', 'First and last row'],
  ['Enter o', 'Open'],
]
export const selectingKeys: KeyHelp = [
  ['x Space', 'Toggle selection'],
  ['Shift Up Down', 'Select several'],
  ['Ctrl a', 'Select all matching'],
  ['Escape', 'Clear selection'],
]
export const otherKeys: KeyHelp = [
  ['/', 'Search'],
  ['?', 'Keyboard shortcuts'],
]

/** Arrow keys as icons, because fonts may lack the characters. */
const arrows: Readonly<Record<string, ReactNode>> = {
  Up: <ArrowUp size={14} role="img" aria-label="Up arrow" />,
  Down: <ArrowDown size={14} role="img" aria-label="Down arrow" />,
}

/** Dialog that lists the keyboard shortcuts. */
export function KeysDialog({ keys, onClose }: { keys: KeyHelp; onClose: () => void }) {
  const [isEverywhere, setEverywhere] = useState(arePageKeysEnabled)
  return (
    <Dialog isOpen onClose={onClose} title="Keyboard shortcuts">
      <dl className={styles.keys}>
        {keys.map(([names, meaning]) => (
          <div key={names} className={styles.line}>
            <dt className="row-wrap">
              {names.split(' ').map((name) => (
                <kbd key={name}>{arrows[name] ?? name}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <CheckField
        label="Enable shortcuts page-wide"
        hint="Otherwise shortcuts work only while the list has focus."
        checked={isEverywhere}
        onChange={({ target }) => {
          localStorage.setItem(storageKey, target.checked ? 'everywhere' : 'in lists')
          setEverywhere(target.checked)
        }}
      />
    </Dialog>
  )
}
