import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { CheckField } from '../../components/field.tsx'
import styles from './keys.module.css'

const storageKey = 'alcove.keys'

/** False: single keys mean something only while the list has the focus. */
export function areKeysEverywhere(): boolean {
  return localStorage.getItem(storageKey) !== 'in lists'
}

export type KeyHelp = readonly (readonly [keys: string, meaning: string])[]

export const movingKeys: KeyHelp = [
  ['j ↓', 'Next row'],
  ['k ↑', 'Previous row'],
  ['Home End', 'First and last row'],
  ['Enter o', 'Open'],
]
export const selectingKeys: KeyHelp = [
  ['x Space', 'Select, or not'],
  ['Shift ↑ ↓', 'Select several'],
  ['Ctrl a', 'Select everything that matches'],
  ['Escape', 'Select nothing'],
]
export const otherKeys: KeyHelp = [
  ['/', 'Search'],
  ['?', 'These keys'],
]

/** What can be pressed. */
export function KeysDialog({ keys, onClose }: { keys: KeyHelp; onClose: () => void }) {
  const [isEverywhere, setEverywhere] = useState(areKeysEverywhere)
  return (
    <Dialog isOpen onClose={onClose} title="Keys">
      <dl className={styles.keys}>
        {keys.map(([names, meaning]) => (
          <div key={names} className={styles.line}>
            <dt className="row-wrap">
              {names.split(' ').map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <CheckField
        label="Single keys work anywhere on the page"
        hint="Otherwise only while the list has the focus."
        checked={isEverywhere}
        onChange={({ target }) => {
          localStorage.setItem(storageKey, target.checked ? 'everywhere' : 'in lists')
          setEverywhere(target.checked)
        }}
      />
    </Dialog>
  )
}
