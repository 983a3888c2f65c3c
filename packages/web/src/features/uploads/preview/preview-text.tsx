import { useQuery } from '@tanstack/react-query'
import { formatBytes } from '../../../components/format.ts'
import { QueryResult } from '../../../components/page/states.tsx'
import type { StoredFile } from '../owner.ts'
import { texts } from '../texts.ts'
import { decodeText } from './decode-text.ts'
import { fetchFile } from './fetch-file.ts'
import styles from './preview-body.module.css'
import { PreviewFacts } from './preview-facts.tsx'

export const maxTextBytes = 256 * 1024

/** Text preview, also for HTML. With `isGuess` the content must look like text. */
export function PreviewText({ file, isGuess = false }: { file: StoredFile; isGuess?: boolean }) {
  const query = useQuery({
    queryKey: ['upload', file.fullPath, maxTextBytes],
    async queryFn({ signal }) {
      if (file.bytes === 0) return new ArrayBuffer(0)
      return (await fetchFile(file, { signal, maxBytes: maxTextBytes })).arrayBuffer()
    },
    staleTime: Infinity,
  })
  return (
    <QueryResult query={query}>
      {(bytes) => {
        const text = decodeText(bytes, isGuess)
        if (text === undefined) return <PreviewFacts file={file} />
        return (
          <div className={styles.text}>
            {noteOn(file) && <p className={styles.note}>{noteOn(file)}</p>}
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
            <pre tabIndex={0}>{text}</pre>
          </div>
        )
      }}
    </QueryResult>
  )
}

function noteOn({ bytes }: StoredFile): string {
  if (bytes === 0) return texts.thisFileIsEmpty
  return bytes > maxTextBytes ? texts.showingTheFirstOf(formatBytes(maxTextBytes), formatBytes(bytes)) : ''
}
