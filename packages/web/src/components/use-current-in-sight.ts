import { type RefObject, useEffect, useRef } from 'react'

/**
 * Where links do not all fit: scrolls, sideways and inside alone, to the one that is current. `shown` is all that says
 * which links there are and how wide.
 */
export function useCurrentInSight<T extends HTMLElement>(shown: string): RefObject<T | null> {
  const ref = useRef<T>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the position depends on what is shown
  useEffect(() => {
    const frame = ref.current
    const link = frame?.querySelector('[aria-current="page"]')
    if (!frame || !link) return
    const [outer, inner] = [frame.getBoundingClientRect(), link.getBoundingClientRect()]
    if (inner.left < outer.left || inner.right > outer.right) {
      frame.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2
    }
  }, [shown])
  return ref
}
