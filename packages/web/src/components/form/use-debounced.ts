import { useEffect, useState } from 'react'

/** Returns the text after it has not changed for `delayMs`. */
export function useDebounced(text: string, delayMs = 150): string {
  const [debounced, setDebounced] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), delayMs)
    return () => clearTimeout(timer)
  }, [text, delayMs])
  return debounced
}
