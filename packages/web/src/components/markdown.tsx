import { useAnswer } from '../app/api.ts'
import { mayWrite, useSession } from '../app/session.ts'
import styles from './markdown.module.css'
import { Answered } from './states.tsx'

/**
 * A text as the API renders and sanitises it, or as it was written, for those for whom the API does not render.
 * `project` is what references and upload links in it refer to.
 */
export function Markdown({ text, project }: { text: string; project?: string | undefined }) {
  const isRendered = mayWrite(useSession())
  const isBlank = text.trim() === ''
  const query = useAnswer(
    'POST /markdown',
    { body: { text, gfm: true, project } },
    { isEnabled: isRendered && !isBlank },
  )
  if (isBlank) return null
  if (!isRendered) return <p className={styles.plain}>{text}</p>
  return <Answered query={query}>{({ html }) => <RenderedMarkdown html={html} />}</Answered>
}

/** HTML that `POST /markdown` answered, and no other. */
export function RenderedMarkdown({ html }: { html: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the server let through what its allow-list names and no more
  return <div className={styles.markdown} dangerouslySetInnerHTML={{ __html: html }} />
}
