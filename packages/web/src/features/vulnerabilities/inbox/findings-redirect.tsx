import { Redirect } from 'wouter'
import { useProject } from '../../../nouns/project/project.ts'
import { awaitingQuery } from '../../../nouns/vulnerability/awaiting.ts'

/** Redirects the former list of findings to the list of vulnerabilities, with its filters. */
export function FindingsRedirect() {
  const { to } = useProject()
  const filters = location.search.replace(/^\?/, '&')
  return <Redirect to={`${to('vulnerabilities')}${awaitingQuery}${filters === '&' ? '' : filters}`} replace />
}
