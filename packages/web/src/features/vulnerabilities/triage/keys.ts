import { display } from '../../../data/display.ts'

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
  ['j Down', 'Next row'],
  ['k Up', 'Previous row'],
  ['Home End', 'First and last row'],
  ['Enter o', 'Open'],
  ['Shift Enter', 'Open page'],
]
export const selectingKeys: KeyHelp = [
  ['x Space', 'Toggle selection'],
  ['Shift Up Down', 'Select several'],
  ['Ctrl a', 'Select all matching'],
  ['Escape', 'Clear selection, or close the panel'],
]
export const otherKeys: KeyHelp = [
  ['/', 'Search'],
  ['Ctrl k', 'Search everything'],
  ['?', 'Keyboard shortcuts'],
]
