import { useApiQuery } from '../data/api.ts'
import styles from './markdown.module.css'

/**
 * Markdown that the API renders and sanitises. Shows the source text before, and when rendering fails.
 * `project` resolves references and upload links.
 */
export function Markdown({ text, project }: { text: string; project?: string | undefined }) {
  const isBlank = text.trim() === ''
  const query = useApiQuery('POST /markdown/preview', { body: { text, project } }, { isEnabled: !isBlank })
  if (isBlank) return null
  // The source takes about the same room, so little moves when it has been rendered.
  if (!query.data) {
    return (
      <p className={styles.plain} {...(query.isPending && { 'data-loading': '' })}>
        {text}
      </p>
    )
  }
  return <RenderedMarkdown html={query.data.html} />
}

/** Inserts HTML as it is. `html` must be a response of `POST /markdown` or its preview. */
export function RenderedMarkdown({ html }: { html: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the server sanitises the HTML with an allow-list
  return <div className={styles.markdown} dangerouslySetInnerHTML={{ __html: html }} />
}
