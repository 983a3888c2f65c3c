import { useSyncExternalStore } from 'react'
import { store } from './store.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'alcove-theme'

function storedTheme(): Theme {
  const kept = localStorage.getItem(key)
  return themes.find((theme) => theme === kept) ?? 'system'
}

const chosen = store.slot(storedTheme)

/** Renders the component again when the theme changes. */
export const useTheme = (): Theme => useSyncExternalStore(chosen.subscribe, chosen.get)

/** Applies and stores a theme. `system` follows the operating system's setting. */
export function applyTheme(theme: Theme = storedTheme()): void {
  localStorage.setItem(key, theme)
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  chosen.set(theme)
}
