import { texts } from './texts.ts'

interface Target {
  /** Path of the project. */
  path: string
  token?: string | undefined
  /** True: the command also creates the project. */
  isCreating?: boolean
}

const placeholder = '<token>'
const settingOf = (token = placeholder) => texts.exportAlcoveUrlAlcove(location.origin, token)

/** Returns the command that sends a report with the command line of this server. */
export function uploadCommand({ path, token }: Target): string {
  return [settingOf(token), texts.npxYesAlcoveTgz(location.origin, path)].join('\n')
}

/** Returns the command that sends a report with curl. */
export function curlCommand({ path, token, isCreating = false }: Target): string {
  return [
    settingOf(token),
    texts.curlHeaderPrivateToken,
    `  ${isCreating ? texts.formCreateTrue : ''}"$ALCOVE_URL/api/v4/projects/${encodeURIComponent(path)}/security_reports"`,
  ].join('\n')
}
