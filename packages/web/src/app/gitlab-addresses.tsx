import { Redirect } from 'wouter'
import { NotFound } from '../components/page/not-found.tsx'

const pattern =
  /^(?<place>\/.+?)?\/-\/security\/(?:vulnerabilities\/(?<id>\d+)|(?:vulnerability_report|vulnerabilities|dashboard)(?:\/.*)?)\/?$/

/**
 * Returns the address of our page for a vulnerability address of GitLab, and `undefined` for any other path. Webhooks
 * and GitLab clients link to GitLab's addresses.
 */
function fromGitlabAddress(path: string): string | undefined {
  const found = pattern.exec(path)?.groups
  if (!found) return undefined
  const { place, id } = found
  if (place === undefined) return path.includes('/dashboard') ? '/' : '/-/vulnerabilities'
  return `${place}/-/vulnerabilities${id === undefined ? '' : `/${id}`}`
}

/** Filters whose values GitLab writes in capitals, with our names. */
const lists: Readonly<Record<string, string>> = {
  state: 'state',
  severity: 'severity',
  reportType: 'report_type',
  dismissalReason: 'dismissal_reason',
}
const activities: Readonly<Record<string, string>> = { STILL_DETECTED: 'false', NO_LONGER_DETECTED: 'true' }

/** Translates the filters of GitLab's vulnerability report. Other parameters stay as they are. */
function fromGitlabFilters(search: string): string {
  const ours = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(search)) {
    const list = lists[name]
    const activity = activities[value]
    if (list !== undefined) {
      if (value.toUpperCase() !== 'ALL') ours.append(list, value.toLowerCase())
    } else if (name === 'activity') {
      if (activity !== undefined) ours.append('has_resolution', activity)
    } else ours.append(name, value)
  }
  const text = ours.toString()
  return text && `?${text}`
}

export function GitlabRedirect() {
  const ours = fromGitlabAddress(location.pathname)
  if (ours === undefined) return <NotFound />
  return <Redirect to={ours + fromGitlabFilters(location.search) + location.hash} replace />
}
