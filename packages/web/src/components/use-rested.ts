import { useEffect, useState } from 'react'

/** What is being typed, once the typing rests. */
export function useRested(text: string, restMs = 150): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), restMs)
    return () => clearTimeout(timer)
  }, [text, restMs])
  return rested
}
