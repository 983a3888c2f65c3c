import { type ComponentType, lazy } from 'react'

/** Creates a component whose code is fetched when it is first rendered. */
export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await load() }))
}
