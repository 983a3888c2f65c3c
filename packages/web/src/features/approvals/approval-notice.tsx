import { LinkButton } from '../../components/button.tsx'
import styles from '../../components/page/notice.module.css'
import { usePage } from '../../data/api.ts'
import { useMayChange } from '../../data/session.ts'
import { texts } from './texts.ts'

/** Notice on the home page with the number of dismissals that the user may decide. */
export function ApprovalNotice() {
  const isWriter = useMayChange()
  const { data } = usePage(
    'GET /dismissal_requests',
    { query: { state: 'pending', side: 'to_decide', per_page: 1 } },
    { isEnabled: isWriter },
  )
  if (!data || data.rows.length === 0) return null
  const many = data.total === undefined ? texts.manyDismissalsAwait : texts.dismissalsAwait(data.total)
  return (
    <section className={styles.notice} aria-label={texts.approvals}>
      <p>{texts.yourApproval(many)}</p>
      <LinkButton size="small" to="/-/approvals?side=to_decide">
        {texts.reviewApprovals}
      </LinkButton>
    </section>
  )
}
