import { useAnswer } from '../app/api.ts'
import styles from './markdown.module.css'
import { Answered } from './states.tsx'

/** A text as the API renders and sanitises it. `project` is what references and upload links in it refer to. */
export function Markdown({ text, project }: { text: string; project?: string | undefined }) {
  const isBlank = text.trim() === ''
  const query = useAnswer('POST /markdown', { body: { text, gfm: true, project } }, { isEnabled: !isBlank })
  if (isBlank) return null
  return <Answered query={query}>{({ html }) => <SafeHtml html={html} />}</Answered>
}

function SafeHtml({ html }: { html: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the server let through what its allow-list names and no more
  return <div className={styles.markdown} dangerouslySetInnerHTML={{ __html: html }} />
}
