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

export function GitlabRedirect() {
  const ours = fromGitlabAddress(location.pathname)
  return ours === undefined ? <NotFound /> : <Redirect to={ours + location.search + location.hash} replace />
}
