import { useState } from 'react'

/** State that is stored in this browser. */
export function useStoredChoice<T extends string>(
  key: string,
  choices: readonly T[],
  first: T,
): [T, (choice: T) => void] {
  const [choice, setChoice] = useState(() => choices.find((one) => one === localStorage.getItem(key)) ?? first)
  return [
    choice,
    (next) => {
      localStorage.setItem(key, next)
      setChoice(next)
    },
  ]
}
