import { LinkButton } from '../../../components/button.tsx'
import styles from './triage-banner.module.css'

/** Leads from the list of vulnerabilities to the findings that are not promoted yet. */
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
