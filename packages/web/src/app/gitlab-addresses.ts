const pattern =
  /^(?<place>\/.+?)\/-\/security\/(?:vulnerabilities\/(?<id>\d+)|(?:vulnerability_report|vulnerabilities|dashboard)(?:\/.*)?)\/?$/

/**
 * Returns the address of our screen for one that GitLab has, `undefined` for any other path. Links that webhooks and other
 * GitLab clients send lead to GitLab's addresses of vulnerabilities.
 */
export function fromGitlabAddress(path: string): string | undefined {
  const { place, id } = pattern.exec(path)?.groups ?? {}
  if (place === undefined) return undefined
  return `${place}/-/vulnerabilities${id === undefined ? '' : `/${id}`}`
}
