import { createContext, useContext } from 'react'

export interface Message {
  text: string
  kind?: 'info' | 'error'
  /** A message replaces the one of the same topic, so that quick work does not pile them up. */
  topic?: string
  /** One thing to do about it, such as undoing. */
  action?: { label: string; run: () => void }
}

/** Shows a message; provided by `ToastProvider`. */
export const ToastContext = createContext<(message: Message) => void>(() => {})

/** Returns a function that shows a message at the edge of the window and announces it to screen readers. */
export function useToast(): (message: Message) => void {
  return useContext(ToastContext)
}
