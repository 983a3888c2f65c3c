import { useMemo } from 'react'
import type { Snippet } from '../snippet.ts'
import { texts } from '../texts.ts'
import styles from './code-lines.module.css'
import { type DiffLine, diffLines } from './diff.ts'
import { diffTokens } from './diff-tokens.ts'
import type { TokenLine } from './tokens.ts'
import { Tokens } from './tokens-in-colour.tsx'
import { useHighlighter } from './use-highlighter.ts'

/** Code with line numbers, in which the lines of the flaw are marked. */
export function SnippetCode({ snippet, file }: { snippet: Snippet; file: string | undefined }) {
  const { firstLine, marked } = snippet
  const text = snippet.text.replace(/\n$/, '')
  const highlighter = useHighlighter([file], text)
  const tokens = useMemo(() => highlighter(text, file), [highlighter, text, file])
  return (
    <Lines
      label={texts.code}
      lines={text.split('\n').map((content, index) => {
        const number = firstLine === undefined ? undefined : firstLine + index
        const isMarked = number !== undefined && marked !== undefined && number >= marked[0] && number <= marked[1]
        return { content, tokens: tokens?.[index], number, look: isMarked ? styles.marked : undefined }
      })}
    />
  )
}

const diffLooks: Readonly<Record<DiffLine['kind'], string | undefined>> = {
  added: styles.added,
  removed: styles.removed,
  hunk: styles.hunk,
  header: styles.hunk,
  context: undefined,
}

/** Unified diff with its added and removed lines in colour, beside their signs. */
export function Diff({ text, file }: { text: string; file: string | undefined }) {
  const lines = useMemo(() => diffLines(text), [text])
  const highlighter = useHighlighter([file, ...lines.map(({ file }) => file)], text)
  const tokens = useMemo(() => diffTokens(lines, file, highlighter), [lines, file, highlighter])
  return (
    <Lines
      label={texts.diff}
      lines={lines.map(({ kind, text }, index) => ({
        ...{ content: text, tokens: tokens[index] },
        ...{ number: undefined, look: diffLooks[kind] },
      }))}
    />
  )
}

interface Line {
  content: string
  tokens: TokenLine | undefined
  number: number | undefined
  look: string | undefined
}

function Lines({ label, lines }: { label: string; lines: readonly Line[] }) {
  return (
    <section aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={styles.code} tabIndex={0}>
        {lines.map(({ content, tokens, number, look }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never change their places
          <code key={index} className={`${styles.line} ${look ?? ''}`}>
            {number !== undefined && <span className={styles.number} data-number={number} />}
            <Tokens text={content} line={tokens} />
            {'\n'}
          </code>
        ))}
      </pre>
    </section>
  )
}
