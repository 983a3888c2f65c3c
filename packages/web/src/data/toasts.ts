import { createContext, useContext } from 'react'

export interface Message {
  text: string
  kind?: 'info' | 'error'
  /** A message replaces an earlier one with the same topic, so that messages do not pile up. */
  topic?: string
  /** Action button, such as undo. */
  action?: { label: string; run: () => void }
}

/** Context with the function that shows a message; provided by `ToastProvider`. */
export const ToastContext = createContext<(message: Message) => void>(() => {})

/** Returns a function that shows a toast and announces it to screen readers. */
export function useToast(): (message: Message) => void {
  return useContext(ToastContext)
}
