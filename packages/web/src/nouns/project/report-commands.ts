interface Target {
  /** Path of the project. */
  path: string
  token?: string | undefined
  /** True: the command also creates the project. */
  isCreating?: boolean
}

const placeholder = '<token>'
const settingOf = (token = placeholder) => `export ALCOVE_URL=${location.origin} ALCOVE_TOKEN=${token}`

/** Returns the command that sends a report with the command line of this server. */
export function uploadCommand({ path, token }: Target): string {
  return [
    settingOf(token),
    `npx --yes ${location.origin}/-/alcove.tgz upload --project ${path} --ref main report.json`,
  ].join('\n')
}

/** Returns the command that sends a report with curl. */
export function curlCommand({ path, token, isCreating = false }: Target): string {
  return [
    settingOf(token),
    'curl --header "PRIVATE-TOKEN: $ALCOVE_TOKEN" --form file=@report.json \\',
    `  ${isCreating ? '--form create=true ' : ''}"$ALCOVE_URL/api/v4/projects/${encodeURIComponent(path)}/security_reports"`,
  ].join('\n')
}
