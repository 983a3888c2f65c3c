import type { Io } from '../io.ts'
import { plain, shorten } from '../safe-text.ts'

/** One line on a terminal that shows what the command waits for. */
export interface Progress {
  show(text: string): void
  clear(): void
}

const maxLength = 79

/** Creates a progress line. It shows nothing where the error output is not a terminal. */
export function openProgress({ stderr }: Io): Progress {
  let isShown = false
  const clear = () => {
    if (isShown) stderr.write('\r\x1b[K')
    isShown = false
  }
  return {
    clear,
    show(text) {
      if (!stderr.isTerminal) return
      clear()
      stderr.write(shorten(plain(text), maxLength))
      isShown = true
    },
  }
}
