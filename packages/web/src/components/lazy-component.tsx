import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { Loading } from './page/states.tsx'

/** Component whose code is fetched when it is first rendered or preloaded. */
export type LazyComponent<Props extends object> = ((props: Props) => ReactNode) & { preload: () => Promise<void> }

/** Fallback that shows nothing. */
export const nothingYet = () => null

/**
 * Creates a component whose code is fetched later. Once the code is there, it renders at once. `Suspense` would keep its
 * fallback for 300 ms.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Fallback?: ComponentType<Props>,
): LazyComponent<Props> {
  let Loaded: ComponentType<Props> | undefined
  let loading: Promise<void> | undefined
  const preload = () => {
    loading ??= load().then(
      (component) => {
        Loaded = component
      },
      (error: unknown) => {
        // The next attempt fetches again, so a preload that failed does not break the component for good.
        loading = undefined
        throw error
      },
    )
    return loading
  }
  function Later(props: Props) {
    const [error, setError] = useState<unknown>()
    const [isLoaded, setLoaded] = useState(Loaded !== undefined)
    useEffect(() => {
      if (!isLoaded) preload().then(() => setLoaded(true), setError)
    }, [isLoaded])
    if (error) throw error
    if (Loaded) return <Loaded {...props} />
    return Fallback ? <Fallback {...props} /> : <Loading />
  }
  return Object.assign(Later, { preload })
}
