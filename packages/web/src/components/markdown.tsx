import { useAnswer } from '../data/api.ts'
import styles from './markdown.module.css'
import { Answered } from './states.tsx'

/**
 * A text as the API renders and sanitises it; as it was written where that does not work. `project` is what references and
 * upload links in it refer to.
 */
export function Markdown({ text, project }: { text: string; project?: string | undefined }) {
  const isBlank = text.trim() === ''
  const query = useAnswer('POST /markdown/preview', { body: { text, project } }, { isEnabled: !isBlank })
  if (isBlank) return null
  if (query.error && !query.data) return <p className={styles.plain}>{text}</p>
  return <Answered query={query}>{({ html }) => <RenderedMarkdown html={html} />}</Answered>
}

/** HTML that `POST /markdown` or its preview answered, and no other. */
export function RenderedMarkdown({ html }: { html: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the server removes everything that its allow-list does not name
  return <div className={styles.markdown} dangerouslySetInnerHTML={{ __html: html }} />
}
