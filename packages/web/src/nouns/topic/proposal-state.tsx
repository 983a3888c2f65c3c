import type { RowOf } from '@alcove/client'
import { Badge, type Tone } from '../../components/badge.tsx'
import { texts } from './texts.ts'

const looks: Record<string, readonly [Tone, string]> = {
  pending: ['warning', texts.pending],
  approved: ['success', texts.approved],
  rejected: ['neutral', texts.rejected],
}

/** State of a proposal and the comment of the administrator who decided. */
export function ProposalState({ proposal }: { proposal: RowOf<'GET /topics/proposals'> }) {
  const [tone, label] = looks[proposal.state] ?? ['neutral', proposal.state]
  return (
    <>
      <Badge tone={tone}>{label}</Badge>
      {proposal.comment && <span className="muted small"> {proposal.comment}</span>}
    </>
  )
}
