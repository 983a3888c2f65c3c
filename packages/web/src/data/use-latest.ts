import { useCallback, useRef } from 'react'

/** Returns a function that stays the same and calls the latest `act`, so that memoised components are not rendered again. */
export function useLatest<Given extends unknown[]>(act: (...given: Given) => void): (...given: Given) => void {
  const latest = useRef(act)
  latest.current = act
  return useCallback((...given) => latest.current(...given), [])
}
