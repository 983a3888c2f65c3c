import styles from './tokens.module.css'
import type { TokenLine } from './tokens.ts'

/** Text of a line of code, in the colours of its tokens if there are any. */
export function Tokens({ text, line }: { text: string; line: TokenLine | undefined }) {
  if (!line) return text
  return line.map(({ text, look }, index) =>
    look === undefined ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: tokens never change their places
      <span key={index} className={styles[look]}>
        {text}
      </span>
    ),
  )
}
