import type { Schemas } from '@alcove/client'
import { Link } from 'wouter'

type Import = Schemas['Import']

/** User who sent a report, and the page of the CI job. */
export function Sender({ report }: { report: Import }) {
  return (
    <div className="small">
      by {report.user ? <Link to={`/${report.user.username}`}>{report.user.name}</Link> : 'Deleted user'}
      {report.job_url && (
        <>
          {' · '}
          <OutsideLink url={report.job_url} text="CI job" />
        </>
      )}
    </div>
  )
}

/** Link to a page that the sender of a report named. */
export function OutsideLink({ url, text }: { url: string; text: string }) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
      {text}
    </a>
  )
}
