import { LinkButton } from '../../../components/button.tsx'
import styles from '../../../components/page/notice.module.css'

/** Banner on the vulnerability list that links to the findings that await triage. */
export function TriageBanner({ text, to }: { text: string; to: string }) {
  return (
    <section className={styles.notice} aria-label="Findings that need triage">
      <p>{text}</p>
      <LinkButton size="small" to={to}>
        Review findings
      </LinkButton>
    </section>
  )
}
