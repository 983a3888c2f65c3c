import type { Schemas } from '@alcove/client'
import { useSyncExternalStore } from 'react'
import { store } from './store.ts'

export type Display = Schemas['DisplaySettings']

const defaults: Display = {
  time_zone: null,
  date_format: 'browser',
  density: 'comfortable',
  page_keys: true,
  number_format: 'browser',
  times: 'relative',
}

/** How the user wants dates, numbers, lists and keys, from the session. */
export const display = store.slot(() => defaults)

/** Stores the settings of the session. Keeps the object while they are the same, so that nothing renders again. */
export function showAs(settings: Display): void {
  if (JSON.stringify(display.get()) !== JSON.stringify(settings)) display.set(settings)
}

/** Renders the component again when the settings change. */
export const useDisplay = (): Display => useSyncExternalStore(display.subscribe, display.get)
