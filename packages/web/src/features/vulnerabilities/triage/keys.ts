import { display } from '../../../data/display.ts'
import { texts } from '../texts.ts'

const storageKey = 'alcove.keys'

/** Returns false if shortcuts work only while the list has the focus. */
export function arePageKeysEnabled(): boolean {
  const choice = localStorage.getItem(storageKey)
  return choice === null ? display.get().page_keys : choice !== 'in lists'
}

/** Forgets the choice of this browser, so that the setting of the user applies. */
export function forgetKeyChoice(): void {
  localStorage.removeItem(storageKey)
}

export function enablePageKeys(areEnabled: boolean): void {
  localStorage.setItem(storageKey, areEnabled ? 'everywhere' : 'in lists')
}

export type KeyHelp = readonly (readonly [keys: string, meaning: string])[]

export const movingKeys: KeyHelp = [
  ['j Down', texts.nextRow],
  ['k Up', texts.previousRow],
  ['Home End', texts.firstAndLastRow],
  ['Enter o', texts.open],
  ['Shift Enter', texts.openPage],
]
export const selectingKeys: KeyHelp = [
  ['x Space', texts.toggleSelection],
  ['Shift Up Down', texts.selectSeveral],
  ['Ctrl a', texts.selectAllMatching],
  ['Escape', texts.clearSelectionOrClose],
]
export const otherKeys: KeyHelp = [
  ['/', texts.search],
  ['Ctrl k', texts.searchEverything],
  ['?', texts.keyboardShortcuts],
]
