import styles from './code-lines.module.css'
import type { Snippet } from './snippet.ts'
import { texts } from './texts.ts'

/** Code with line numbers, in which the lines of the flaw are marked. */
export function SnippetCode({ snippet: { text, firstLine, marked } }: { snippet: Snippet }) {
  return (
    <Lines
      label={texts.code}
      lines={text
        .replace(/\n$/, '')
        .split('\n')
        .map((content, index) => {
          const number = firstLine === undefined ? undefined : firstLine + index
          const isMarked = number !== undefined && marked !== undefined && number >= marked[0] && number <= marked[1]
          return { content, number, look: isMarked ? styles.marked : undefined }
        })}
    />
  )
}

const diffLooks: Readonly<Record<string, string | undefined>> = {
  '+': styles.added,
  '-': styles.removed,
  '@': styles.hunk,
}

/** Unified diff with its added and removed lines in colour, beside their signs. */
export function Diff({ text }: { text: string }) {
  return (
    <Lines
      label={texts.diff}
      lines={text.split('\n').map((content) => ({ content, number: undefined, look: diffLooks[content.charAt(0)] }))}
    />
  )
}

interface Line {
  content: string
  number: number | undefined
  look: string | undefined
}

function Lines({ label, lines }: { label: string; lines: readonly Line[] }) {
  return (
    <section aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={styles.code} tabIndex={0}>
        {lines.map(({ content, number, look }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never change their places
          <code key={index} className={`${styles.line} ${look ?? ''}`}>
            {number !== undefined && <span className={styles.number} data-number={number} />}
            {content}
            {'\n'}
          </code>
        ))}
      </pre>
    </section>
  )
}
