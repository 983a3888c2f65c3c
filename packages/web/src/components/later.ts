import { type ComponentType, lazy } from 'react'

/** A screen that is fetched when it is first shown. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await load() }))
}
