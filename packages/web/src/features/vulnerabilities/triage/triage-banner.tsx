import type { ReactNode } from 'react'
import { LinkButton } from '../../../components/button.tsx'
import styles from '../../../components/page/notice.module.css'
import { texts } from '../texts.ts'

/** Banner on the vulnerability list that links to the findings that await triage. */
export function TriageBanner({ text, to, children }: { text: string; to: string; children?: ReactNode }) {
  return (
    <section className={styles.notice} aria-label={texts.findingsThatNeedTriage}>
      <p>{text}</p>
      <span className="row-wrap">
        <LinkButton size="small" to={to}>
          {texts.reviewFindings}
        </LinkButton>
        {children}
      </span>
    </section>
  )
}
