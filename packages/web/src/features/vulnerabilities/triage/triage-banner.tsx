import { LinkButton } from '../../../components/button.tsx'
import styles from './triage-banner.module.css'

/** Banner on the vulnerability list that links to the findings that await triage. */
export function TriageBanner({ text, to }: { text: string; to: string }) {
  return (
    <section className={styles.banner} aria-label="Findings that need triage">
      <p>{text}</p>
      <LinkButton size="small" to={to}>
        Review findings
      </LinkButton>
    </section>
  )
}
