import { ArrowDown, ArrowUp } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { CheckField } from '../../../../components/form/field.tsx'
import { Dialog } from '../../../../components/overlay/dialog.tsx'
import { texts as listTexts } from '../../texts.ts'
import { arePageKeysEnabled, enablePageKeys, type KeyHelp } from '../keys.ts'
import styles from './keys.module.css'
import { texts } from './texts.ts'

/** Arrow keys as icons, because fonts may lack the characters. */
const arrows: Readonly<Record<string, ReactNode>> = {
  Up: <ArrowUp size={14} role="img" aria-label={texts.upArrow} />,
  Down: <ArrowDown size={14} role="img" aria-label={texts.downArrow} />,
}

/** Dialog that lists the keyboard shortcuts. */
export function KeysDialog({ keys, onClose }: { keys: KeyHelp; onClose: () => void }) {
  const [isEverywhere, setEverywhere] = useState(arePageKeysEnabled)
  return (
    <Dialog isOpen onClose={onClose} title={listTexts.keyboardShortcuts}>
      <KeyList keys={keys} />
      <CheckField
        label={texts.enableShortcutsPageWide}
        hint={texts.otherwiseShortcutsWorkOnly}
        checked={isEverywhere}
        onChange={({ target }) => {
          enablePageKeys(target.checked)
          setEverywhere(target.checked)
        }}
      />
    </Dialog>
  )
}

/** Keyboard shortcuts with their meanings. */
export function KeyList({ keys }: { keys: KeyHelp }) {
  return (
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
  )
}
