import type { Schemas } from '@alcove/client'
import { Link } from 'wouter'
import { fill } from '../../components/fill.tsx'
import { texts } from './texts.ts'

type Import = Schemas['Import']

/** User who sent a report, and the page of the CI job. */
export function Sender({ report }: { report: Import }) {
  return (
    <div className="small">
      {fill(texts.by, {
        user: report.user ? <Link to={`/${report.user.username}`}>{report.user.name}</Link> : texts.deletedUser,
      })}
      {report.job_url && (
        <>
          {' · '}
          <OutsideLink url={report.job_url} text={texts.ciJob} />
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
