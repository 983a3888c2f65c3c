import { type RefObject, useEffect, useRef } from 'react'

/**
 * Scrolls a row of links horizontally to the current one when they do not all fit. `shown` must change when the links
 * or
 * their widths change.
 */
export function useScrollToCurrent<T extends HTMLElement>(shown: string): RefObject<T | null> {
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
