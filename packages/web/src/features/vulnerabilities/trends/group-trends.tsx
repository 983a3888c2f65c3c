import { severities } from '../../../components/badge.tsx'
import { useApiQuery } from '../../../data/api.ts'
import { waitingInWords } from '../../../nouns/finding/triage-backlog.ts'
import { useGroup } from '../../../nouns/group/group.ts'
import { states } from '../../../nouns/vulnerability/filters.ts'
import { countOf, type Statistics } from '../filters/severity-bar.tsx'
import { texts as listTexts } from '../texts.ts'
import { texts } from './texts.ts'
import { Trends } from './trends.tsx'

/** Trends of a group, over the projects that the user may read. */
export function GroupTrends() {
  const { group, to } = useGroup()
  const query = useApiQuery('GET /groups/{id}/vulnerability_statistics', { path: { id: group.id } })
  return (
    <Trends
      query={query}
      crumb={{ label: listTexts.vulnerabilities, to: to('vulnerabilities') }}
      missing={whatIsMissing}
    />
  )
}

function whatIsMissing(statistics: Statistics): string | undefined {
  const waiting = waitingInWords(statistics.waiting_findings)
  if (waiting || statistics.letter_grade) return waiting
  return countOf(statistics, severities, states) === 0 ? texts.noVulnerabilitiesRecorded : undefined
}
