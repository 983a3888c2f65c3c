import { LinkButton } from '../../components/button.tsx'
import styles from '../../components/page/notice.module.css'
import { usePage } from '../../data/api.ts'
import { useMayChange } from '../../data/session.ts'
import { useProject } from '../../nouns/project/project.ts'
import { texts } from './texts.ts'

/** Banner on the vulnerability list that links to dismissals that await approval. */
export function ApprovalBanner() {
  const { project, to } = useProject()
  const isWriter = useMayChange('triage')
  const { data } = usePage(
    'GET /projects/{id}/dismissal_requests',
    { path: { id: project.id }, query: { state: 'pending', per_page: 1 } },
    { isEnabled: isWriter },
  )
  if (!data || data.rows.length === 0) return null
  return (
    <section className={styles.notice} aria-label={texts.approvals}>
      <p>{data.total === undefined ? texts.manyDismissalsAwait : texts.dismissalsAwait(data.total)}</p>
      <LinkButton size="small" to={to('vulnerabilities/approvals')}>
        {texts.reviewApprovals}
      </LinkButton>
    </section>
  )
}
